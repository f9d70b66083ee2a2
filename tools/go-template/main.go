// Renders the templates of tests/fixtures/go-templates.json with Go's own text/template, and writes what it made of
// them into the file: `go run . ../../tests/fixtures/go-templates.json`.
package main

import (
	"bytes"
	"encoding/json"
	"os"
	"runtime"
	"strings"
	"text/template"
	"time"
)

type entry struct {
	Template string  `json:"template"`
	Output   *string `json:"output,omitempty"`
	Error    *string `json:"error,omitempty"`
}

type fixture struct {
	Go        string  `json:"go"`
	Templates []entry `json:"templates"`
}

// The struct of the LDAP engine that LDIF templates are rendered for (vault-plugin-secrets-openldap 0.18,
// path_dynamic_creds.go), and its functions that these templates use (sdk/helper/template of Vault 1.21).
type dynamicTemplateData struct {
	Username              string
	Password              string
	DisplayName           string
	RoleName              string
	IssueTime             string
	IssueTimeSeconds      int64
	ExpirationTime        string
	ExpirationTimeSeconds int64
}

var now = time.Date(2024, 2, 9, 15, 4, 5, 120_000_000, time.UTC)

var functions = template.FuncMap{
	"uppercase": strings.ToUpper,
	"replace":   func(from, to, text string) string { return strings.ReplaceAll(text, from, to) },
	"timestamp": func(layout string) string { return now.Format(layout) },
	"truncate":  func(length int, text string) string { return string([]rune(text)[:length]) },
}

func render(text string) (string, error) {
	parsed, err := template.New("template").Funcs(functions).Parse(text)
	if err != nil {
		return "", err
	}
	var output bytes.Buffer
	err = parsed.Execute(&output, dynamicTemplateData{
		"v_ada", "p-w", "ada", "web", "2024-02-09T15:04:05Z", 1707491045, "2024-02-09T16:04:05Z", 1707494645,
	})
	return output.String(), err
}

func main() {
	content, err := os.ReadFile(os.Args[1])
	var known fixture
	if err == nil {
		err = json.Unmarshal(content, &known)
	}
	if err != nil {
		panic(err)
	}
	known.Go = runtime.Version()
	for index, each := range known.Templates {
		output, err := render(each.Template)
		made := entry{Template: each.Template, Output: &output}
		if err != nil {
			text := strings.ReplaceAll(err.Error(), "main.", "openldap.")
			made = entry{Template: each.Template, Error: &text}
		} else {
			output = strings.ReplaceAll(output, "main.", "openldap.")
		}
		known.Templates[index] = made
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(known); err != nil {
		panic(err)
	}
	if err := os.WriteFile(os.Args[1], out.Bytes(), 0o644); err != nil {
		panic(err)
	}
}
