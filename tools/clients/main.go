// Calls the services with the products' own clients, and prints what was sent and returned: one step a line.
package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
)

type exchange struct {
	Method string `json:"method"`
	Target string `json:"target"`
	Status int    `json:"status"`
	Body   any    `json:"body"`
}

type outcome struct {
	Client    string     `json:"client"`
	Step      string     `json:"step"`
	Error     string     `json:"error,omitempty"`
	Result    any        `json:"result,omitempty"`
	Exchanges []exchange `json:"exchanges"`
}

// recorder keeps the exchanges of the current step.
type recorder struct {
	client string
	kept   []exchange
}

func (r *recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	request.Header.Set("Accept-Encoding", "identity")
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		return response, err
	}
	body := []byte{}
	// The event stream has no end.
	if request.URL.Path != "/v1/event/stream" || response.StatusCode != http.StatusOK {
		body, err = io.ReadAll(response.Body)
		response.Body = io.NopCloser(bytes.NewReader(body))
	}
	var content any
	if json.Unmarshal(body, &content) != nil && len(body) > 0 {
		content = string(body)
	}
	r.kept = append(r.kept, exchange{request.Method, request.URL.RequestURI(), response.StatusCode, content})
	return response, err
}

func (r *recorder) step(name string, run func() (any, error)) {
	r.kept = []exchange{}
	result, err := run()
	line := outcome{Client: r.client, Step: name, Result: result, Exchanges: r.kept}
	if err != nil {
		line.Error = err.Error()
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(line)
}

func (r *recorder) http() *http.Client {
	return &http.Client{Transport: r}
}

// must is for what the steps need: without it they mean nothing.
func must[Value any](value Value, err error) Value {
	if err != nil {
		panic(err)
	}
	return value
}

func main() {
	if calls := os.Getenv("SECRETS_CALLS"); calls != "" {
		connect := map[string]func(*recorder, string, string) secretsClient{"vault/api": newVault, "openbao/api": newBao}
		client := os.Getenv("SECRETS_CLIENT")
		callSteps(&recorder{client: client}, connect[client], os.Getenv("SECRETS_ADDR"), calls)
		return
	}
	if address := os.Getenv("SECRETS_ADDR"); address != "" {
		secretsSteps(&recorder{client: "vault/api"}, newVault, address, "vault")
		secretsSteps(&recorder{client: "openbao/api"}, newBao, address, "bao")
	}
	if address := os.Getenv("SCHEDULER_ADDR"); address != "" {
		schedulerSteps(&recorder{client: "nomad/api"}, address)
	}
	if address := os.Getenv("PROVISIONING_ADDR"); address != "" {
		provisioningSteps(&recorder{client: "go-tfe"}, address)
	}
}
