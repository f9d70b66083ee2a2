module pulumi-trivium/tools/go-template

go 1.26
