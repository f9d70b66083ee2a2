package main

import (
	"encoding/json"
	"net/url"
	"os"
	"regexp"
	"strings"
)

// call is one request of a recording: tests/fixtures/wire/openbao-2.6.2-clients.json.
type call struct {
	Request string            `json:"request"`
	Body    any               `json:"body"`
	Token   json.RawMessage   `json:"token"`
	Headers map[string]string `json:"headers"`
	Save    map[string]string `json:"save"`
}

var variable = regexp.MustCompile(`\$\w+`)

// callSteps makes the calls of a recording, as far as a client can make them: the empty step stands for another one.
func callSteps(r *recorder, connect func(*recorder, string, string) secretsClient, address, file string) {
	c := connect(r, address, os.Getenv("SECRETS_TOKEN"))
	var calls []call
	if err := json.Unmarshal(must(os.ReadFile(file)), &calls); err != nil {
		panic(err)
	}
	saved := map[string]string{}
	filled := func(text string) string {
		return variable.ReplaceAllStringFunc(text, func(name string) string {
			if value, ok := saved[name[1:]]; ok {
				return value
			}
			return name
		})
	}
	for _, each := range calls {
		method, target, _ := strings.Cut(filled(each.Request), " ")
		path, query, _ := strings.Cut(target, "?")
		body, isObject := object{}, each.Body == nil
		if !isObject {
			text := filled(string(must(json.Marshal(each.Body))))
			isObject = json.Unmarshal([]byte(text), &body) == nil
		}
		var token string
		isAnonymous := string(each.Token) == "null"
		if len(each.Token) > 0 && !isAnonymous && json.Unmarshal(each.Token, &token) != nil {
			panic("a token is a text")
		}
		client := c.with(filled(token), "", each.Headers["X-Vault-Wrap-TTL"])
		run := map[string]func() (any, error){
			"GET":    func() (any, error) { return client.readWith(path, must(url.ParseQuery(query))) },
			"LIST":   func() (any, error) { return client.list(path) },
			"POST":   func() (any, error) { return client.write(path, body) },
			"PUT":    func() (any, error) { return client.write(path, body) },
			"DELETE": func() (any, error) { return client.remove(path) },
		}[method]
		isEscaped := strings.Contains(path, "%")
		if run == nil || !isObject || isEscaped || (query != "" && method != "GET") || isAnonymous {
			r.step("", func() (any, error) { return nil, nil })
			continue
		}
		r.step(each.Request, func() (any, error) {
			_, err := run()
			for name, place := range each.Save {
				if value := at(lastBody(r), strings.Split(place, ".")...); value != "" {
					saved[name] = value
				}
			}
			return nil, err
		})
	}
}

// lastBody is what the last response had.
func lastBody(r *recorder) any {
	if len(r.kept) == 0 {
		return nil
	}
	return r.kept[len(r.kept)-1].Body
}
