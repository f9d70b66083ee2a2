// Writes the TypeScript program of an import, with the importer and the generator of the pinned CLI: the language hosts
// of newer CLIs, which run the generator, are not Go modules.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/blang/semver"
	"github.com/pulumi/pulumi/pkg/v3/codegen/nodejs"
	"github.com/pulumi/pulumi/pkg/v3/codegen/pcl"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	"github.com/pulumi/pulumi/pkg/v3/importer"
	pkgresource "github.com/pulumi/pulumi/pkg/v3/resource"
	"github.com/pulumi/pulumi/pkg/v3/resource/stack"
	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
)

func main() {
	if len(os.Args) != 3 {
		fail(fmt.Errorf("usage: generate-program SCHEMA STATE"))
	}
	fail(generate(os.Args[1], os.Args[2]))
}

func generate(schemaFile, stateFile string) error {
	loader, err := loadSchema(schemaFile)
	if err != nil {
		return err
	}
	var state apitype.UntypedDeployment
	if err := readJSON(stateFile, &state); err != nil {
		return err
	}
	snapshot, err := stack.DeserializeUntypedDeployment(context.Background(), &state, nil)
	if err != nil {
		return err
	}
	imported := slices.DeleteFunc(slices.Clone(snapshot.Resources), func(each *pkgresource.State) bool {
		return each.Type.Package() != "trivium"
	})
	write := func(out io.Writer, program *pcl.Program) error {
		files, diagnostics, err := nodejs.GenerateProgram(program)
		if err != nil {
			return err
		}
		if diagnostics.HasErrors() {
			return diagnostics
		}
		_, err = out.Write(files["index.ts"])
		return err
	}
	return importer.GenerateLanguageDefinitions(os.Stdout, loader, write, imported, snapshot.Resources, importer.NameTable{})
}

// The schema of one package.
type fileLoader struct {
	pkg *schema.Package
}

func loadSchema(file string) (fileLoader, error) {
	var spec schema.PackageSpec
	if err := readJSON(file, &spec); err != nil {
		return fileLoader{}, err
	}
	pkg, diagnostics, err := schema.BindSpec(spec, schema.NewNullLoader(), schema.ValidationOptions{})
	if err == nil && len(diagnostics) > 0 {
		// A warning is a mistake in the schema too.
		err = diagnostics
	}
	return fileLoader{pkg}, err
}

func (loader fileLoader) LoadPackage(string, *semver.Version) (*schema.Package, error) {
	return loader.pkg, nil
}

func (loader fileLoader) LoadPackageV2(context.Context, *schema.PackageDescriptor) (*schema.Package, error) {
	return loader.pkg, nil
}

func (loader fileLoader) LoadPackageReference(string, *semver.Version) (schema.PackageReference, error) {
	return loader.pkg.Reference(), nil
}

func (loader fileLoader) LoadPackageReferenceV2(
	context.Context, *schema.PackageDescriptor,
) (schema.PackageReference, error) {
	return loader.pkg.Reference(), nil
}

func readJSON(file string, value any) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, value)
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
