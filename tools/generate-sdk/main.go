// Generates the SDK of a package in Python or Go from its schema, as the language hosts of the pinned CLI do.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	gogen "github.com/pulumi/pulumi/pkg/v3/codegen/go"
	"github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

const tool = "generate-sdk"

func main() {
	if len(os.Args) != 4 {
		fail(fmt.Errorf("usage: %s SCHEMA python|go DIRECTORY", tool))
	}
	files, err := generate(os.Args[1], os.Args[2])
	fail(err)
	for name, text := range files {
		file := filepath.Join(os.Args[3], name)
		fail(os.MkdirAll(filepath.Dir(file), 0o755))
		fail(os.WriteFile(file, text, 0o644))
	}
}

func generate(schemaFile, language string) (map[string][]byte, error) {
	text, err := os.ReadFile(schemaFile)
	if err != nil {
		return nil, err
	}
	var spec schema.PackageSpec
	if err := json.Unmarshal(text, &spec); err != nil {
		return nil, err
	}
	pkg, diagnostics, err := schema.BindSpec(spec, schema.NewNullLoader(), schema.ValidationOptions{})
	if err != nil {
		return nil, err
	}
	// A warning is a mistake in the schema too.
	if len(diagnostics) > 0 {
		return nil, diagnostics
	}
	if language == "go" {
		return gogen.GeneratePackage(tool, pkg, nil)
	}
	return python.GeneratePackage(tool, pkg, nil, nil)
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
