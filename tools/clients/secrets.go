package main

import (
	"encoding/json"
	"os"
	"strings"

	vault "github.com/hashicorp/vault/api"
	bao "github.com/openbao/openbao/api/v2"
)

type object = map[string]any

// secretsClient is what both clients can do, under their own names.
type secretsClient struct {
	read, list, remove, unwrap func(path string) (any, error)
	write                      func(path string, data object) (any, error)
	readWith                   func(path string, query map[string][]string) (any, error)
	mount, enableAuth          func(path, kind string) error
	tune                       func(path, ttl string) error
	status                     func() (any, error)
	revoke                     []func(lease string) error
	capabilities               func(path string) (any, error)
	// with returns a client with another token, namespace or lifetime of wrapped responses; empty ones stay.
	with func(token, namespace, wrapTTL string) secretsClient
}

// core is the client itself, whose types differ by package.
type core[Lookup ~func(operation, path string) string] interface {
	SetToken(string)
	SetNamespace(string)
	SetWrappingLookupFunc(Lookup)
}

type logical[Secret any] interface {
	Read(string) (Secret, error)
	List(string) (Secret, error)
	Delete(string) (Secret, error)
	Unwrap(string) (Secret, error)
	Write(string, object) (Secret, error)
	ReadWithData(string, map[string][]string) (Secret, error)
}

type system[Mount, Auth, Tuning, Health, Leader, Seal any] interface {
	Mount(string, *Mount) error
	EnableAuthWithOptions(string, *Auth) error
	TuneMount(string, Tuning) error
	Health() (Health, error)
	InitStatus() (bool, error)
	Leader() (Leader, error)
	SealStatus() (Seal, error)
	Revoke(string) error
	RevokePrefix(string) error
	RevokeForce(string) error
	CapabilitiesSelf(string) ([]string, error)
}

func newVault(r *recorder, address, token string) secretsClient {
	config := vault.DefaultConfig()
	config.Address, config.HttpClient, config.MaxRetries = address, r.http(), 0
	return ofVault(must(vault.NewClient(config)), token)
}

func ofVault(c *vault.Client, token string) secretsClient {
	return clientOf(c, c.Logical(), c.Sys(), c.Clone, ofVault, token)
}

func newBao(r *recorder, address, token string) secretsClient {
	config := bao.DefaultConfig()
	config.Address, config.HttpClient, config.MaxRetries = address, r.http(), 0
	return ofBao(must(bao.NewClient(config)), token)
}

func ofBao(c *bao.Client, token string) secretsClient {
	return clientOf(c, c.Logical(), c.Sys(), c.Clone, ofBao, token)
}

func clientOf[Client core[Lookup], Lookup ~func(operation, path string) string, Secret, Mount, Auth, Tuning, Health, Leader, Seal any](
	c Client,
	logical logical[Secret],
	sys system[Mount, Auth, Tuning, Health, Leader, Seal],
	clone func() (Client, error),
	of func(Client, string) secretsClient,
	token string,
) secretsClient {
	c.SetToken(token)
	return secretsClient{
		read:     func(path string) (any, error) { return logical.Read(path) },
		list:     func(path string) (any, error) { return logical.List(path) },
		remove:   func(path string) (any, error) { return logical.Delete(path) },
		unwrap:   func(token string) (any, error) { return logical.Unwrap(token) },
		write:    func(path string, data object) (any, error) { return logical.Write(path, data) },
		readWith: func(path string, query map[string][]string) (any, error) { return logical.ReadWithData(path, query) },
		mount: func(path, kind string) error {
			config := object{"default_lease_ttl": "1h", "max_lease_ttl": "2h"}
			return sys.Mount(path, from[Mount](object{"type": kind, "description": "a mount", "config": config}))
		},
		enableAuth: func(path, kind string) error {
			return sys.EnableAuthWithOptions(path, from[Auth](object{"type": kind}))
		},
		tune: func(path, ttl string) error {
			return sys.TuneMount(path, *from[Tuning](object{"default_lease_ttl": ttl}))
		},
		status: func() (any, error) {
			must(sys.Health())
			must(sys.InitStatus())
			must(sys.Leader())
			return sys.SealStatus()
		},
		revoke:       []func(string) error{sys.Revoke, sys.RevokePrefix, sys.RevokeForce},
		capabilities: func(path string) (any, error) { return sys.CapabilitiesSelf(path) },
		with: func(other, namespace, wrapTTL string) secretsClient {
			changed := must(clone())
			if other == "" {
				other = token
			}
			if namespace != "" {
				changed.SetNamespace(namespace)
			}
			changed.SetWrappingLookupFunc(func(_, _ string) string { return wrapTTL })
			return of(changed, other)
		},
	}
}

// from makes an input of either client from the names that both have on the wire.
func from[Input any](values object) *Input {
	input := new(Input)
	if err := json.Unmarshal(must(json.Marshal(values)), input); err != nil {
		panic(err)
	}
	return input
}

// at returns a text in a result, such as "data", "id"; empty where there is none.
func at(result any, names ...string) string {
	text, _ := json.Marshal(result)
	var value any
	_ = json.Unmarshal(text, &value)
	for _, name := range names {
		members, _ := value.(object)
		value = members[name]
	}
	found, _ := value.(string)
	return found
}

const usersDN = "ou=users,dc=example,dc=org"

// secretsSteps makes everything at paths of its own and removes it, so that both clients can run it.
func secretsSteps(r *recorder, connect func(*recorder, string, string) secretsClient, address, own string) {
	c := connect(r, address, os.Getenv("SECRETS_TOKEN"))
	ldap, people := own+"-ldap", own+"-people"
	write := func(name, path string, data object) (result any) {
		r.step(name, func() (any, error) {
			var err error
			result, err = c.write(path, data)
			return nil, err
		})
		return result
	}
	read := func(name, path string) {
		r.step(name, func() (any, error) { _, err := c.read(path); return nil, err })
	}
	list := func(name, path string) {
		r.step(name, func() (any, error) { _, err := c.list(path); return nil, err })
	}
	remove := func(name, path string) {
		r.step(name, func() (any, error) { _, err := c.remove(path); return nil, err })
	}
	try := func(name string, run func() error) {
		r.step(name, func() (any, error) { return nil, run() })
	}

	r.step("status", func() (any, error) { _, err := c.status(); return nil, err })

	try("mount an engine", func() error { return c.mount(ldap, "ldap") })
	try("mount it again", func() error { return c.mount(ldap, "ldap") })
	try("mount below it", func() error { return c.mount(ldap+"/below", "ldap") })
	try("mount an unknown engine", func() error { return c.mount(own+"-unknown", "nonesuch") })
	read("read a mount", "sys/mounts/"+ldap)
	read("read a missing mount", "sys/mounts/none")
	try("tune a mount", func() error { return c.tune(ldap, "30m") })
	try("tune it beyond its limit", func() error { return c.tune(ldap, "3h") })
	try("tune a missing mount", func() error { return c.tune("none", "1h") })
	read("read how it is tuned", "sys/mounts/"+ldap+"/tune")
	try("enable an auth method", func() error { return c.enableAuth(people, "userpass") })
	try("enable it again", func() error { return c.enableAuth(people, "userpass") })
	try("tune an auth method", func() error { return c.tune("auth/"+people, "1h") })
	read("read an auth method", "sys/auth/"+people)
	read("read an auth method as the bridged provider does", "sys/mounts/auth/"+people)
	read("read a missing auth method", "sys/auth/none")
	read("read how an auth method is tuned", "sys/mounts/auth/"+people+"/tune")
	remove("remove a missing mount", "sys/mounts/none")
	accessor := at(must(c.read("sys/auth/"+people)), "data", "accessor")

	entity := at(write("create an entity", "identity/entity", object{"name": own + "-ada", "metadata": object{"team": "a"}}), "data", "id")
	write("write an entity of that name", "identity/entity", object{"name": own + "-ada", "policies": []string{"readers"}})
	read("read an entity", "identity/entity/id/"+entity)
	read("read an entity by its name", "identity/entity/name/"+own+"-ada")
	read("read a missing entity", "identity/entity/id/none")
	write("change a missing entity", "identity/entity/id/none", object{"name": "x"})
	write("give an entity the policy root", "identity/entity", object{"name": own + "-bob", "policies": []string{"root"}})
	alias := at(write("create an alias", "identity/entity-alias", object{"name": "ada", "canonical_id": entity, "mount_accessor": accessor}), "data", "id")
	write("create an alias without a name", "identity/entity-alias", object{"canonical_id": entity, "mount_accessor": accessor})
	write("give an alias an empty value", "identity/entity-alias", object{"name": "eve", "mount_accessor": accessor, "custom_metadata": object{"a": ""}})
	write("give an alias a long key", "identity/entity-alias", object{"name": "eve", "mount_accessor": accessor, "custom_metadata": object{strings.Repeat("k", 129): "v"}})
	write("look up an entity by its alias", "identity/lookup/entity", object{"alias_name": "ada", "alias_mount_accessor": accessor})
	write("look up a missing entity", "identity/lookup/entity", object{"name": own + "-none"})
	write("look up an entity by nothing", "identity/lookup/entity", object{})
	write("look up an entity by two things", "identity/lookup/entity", object{"id": entity, "name": "x"})

	write("configure the directory", ldap+"/config", object{
		"binddn": "cn=admin,dc=example,dc=org", "bindpass": "adminpw", "url": os.Getenv("LDAP_URL"), "userdn": usersDN,
	})
	write("create a static role", ldap+"/static-role/"+own, object{"username": own + "-static", "rotation_period": "1h"})
	write("rotate a role without data", ldap+"/rotate-role/"+own, nil)
	write("create a library set", ldap+"/library/"+own, object{"service_account_names": own + "-svc1," + own + "-svc2"})
	for _, value := range [][]string{{"True"}, {"1"}, {"t"}, {"true", "false"}, {"0"}, {"yes"}} {
		r.step("list with list="+strings.Join(value, " and "), func() (any, error) {
			_, err := c.readWith(ldap+"/library", listIs(value))
			return nil, err
		})
	}
	list("list with a slash at the end", ldap+"/library/")
	lease := at(write("check out without data", ldap+"/library/"+own+"/check-out", nil), "lease_id")
	write("look up a lease", "sys/leases/lookup", object{"lease_id": lease})
	list("list leases below a path", "sys/leases/lookup/"+ldap+"/library")
	list("list leases where there are none", "sys/leases/lookup/none")
	write("renew a lease beyond its limit", "sys/leases/renew", object{"lease_id": lease, "increment": "99999h"})
	write("check in without data", ldap+"/library/"+own+"/check-in", nil)
	for index, kind := range []string{"", " by its prefix", " by force"} {
		path := lease
		if index > 0 {
			path = ldap + "/library"
		}
		must(c.write(ldap+"/library/"+own+"/check-out", nil))
		try("revoke a lease"+kind, func() error { return c.revoke[index](path) })
	}
	write("give the directory a wrong password", ldap+"/config", object{"bindpass": "wrong"})
	write("rotate a role with a wrong bind password", ldap+"/rotate-role/"+own, nil)
	write("rotate the root with a wrong bind password", ldap+"/rotate-root", nil)
	must(c.write(ldap+"/config", object{"bindpass": "adminpw"}))

	for _, issuer := range []string{"a&b", "a/b", "a:b", "a+b", "a@b", "a b", "a=b;c,d$", "a?b#c%", "ä!*'()"} {
		var method string
		r.step("create a TOTP method of "+issuer, func() (any, error) {
			result, err := c.write("identity/mfa/method/totp", object{"issuer": issuer, "qr_size": 0})
			method = at(result, "data", "method_id")
			return nil, err
		})
		write("generate a secret of "+issuer, "identity/mfa/method/totp/admin-generate", object{"method_id": method, "entity_id": entity})
		must(c.remove("identity/mfa/method/totp/" + method))
	}
	for _, action := range []string{"generate", "admin-generate", "admin-destroy"} {
		write(action+" without a method", "identity/mfa/method/totp/"+action, object{})
		write(action+" without an entity", "identity/mfa/method/totp/"+action, object{"method_id": "x"})
	}
	write("create a TOTP method with -1 attempts", "identity/mfa/method/totp", object{"issuer": "x", "max_validation_attempts": -1})

	child := at(write("create a child token", "auth/token/create", object{
		"display_name": "child", "ttl": "20m", "explicit_max_ttl": "1h", "policies": []string{"default"}, "meta": object{"a": "b"},
		"num_uses": 0, "type": "", "entity_alias": "",
	}), "auth", "client_token")
	write("create a token with a long TTL", "auth/token/create", object{"ttl": "9999h"})
	ofChild := c.with(child, "", "")
	r.step("look up a child token", func() (any, error) { _, err := ofChild.read("auth/token/lookup-self"); return nil, err })
	r.step("renew a child token", func() (any, error) {
		_, err := ofChild.write("auth/token/renew-self", object{"increment": "2h"})
		return nil, err
	})
	write("look up an unknown token", "auth/token/lookup", object{"token": "none"})
	r.step("capabilities", func() (any, error) { _, err := c.capabilities("sys/mounts"); return nil, err })
	write("capabilities of nothing", "sys/capabilities-self", object{})
	write("capabilities of an unknown token", "sys/capabilities", object{"token": "none", "paths": []string{"x"}})
	try("revoke a child token", func() error { _, err := ofChild.write("auth/token/revoke-self", nil); return err })
	r.step("look up a revoked token", func() (any, error) { _, err := ofChild.read("auth/token/lookup-self"); return nil, err })

	wrapping := c.with("", "", "60s")
	var wrapped string
	r.step("wrap a response", func() (any, error) {
		result, err := wrapping.read(ldap + "/static-role/" + own)
		wrapped = at(result, "wrap_info", "token")
		return nil, err
	})
	r.step("wrap a new token", func() (any, error) {
		_, err := wrapping.write("auth/token/create", object{"ttl": "20m"})
		return nil, err
	})
	write("look up a wrapping token", "sys/wrapping/lookup", object{"token": wrapped})
	r.step("unwrap a response", func() (any, error) { _, err := c.unwrap(wrapped); return nil, err })
	r.step("unwrap it again", func() (any, error) { _, err := c.unwrap(wrapped); return nil, err })
	r.step("wrap what has no content", func() (any, error) {
		_, err := wrapping.write(ldap+"/config", object{"request_timeout": 20})
		return nil, err
	})
	r.step("wrap for an invalid time", func() (any, error) {
		_, err := c.with("", "", "soon").read(ldap + "/config")
		return nil, err
	})

	elsewhere := c.with("", "nope", "")
	r.step("a namespace that does not exist", func() (any, error) { _, err := elsewhere.read(ldap + "/config"); return nil, err })
	r.step("health in a namespace that does not exist", func() (any, error) { _, err := elsewhere.read("sys/health"); return nil, err })

	var login any
	r.step("log in with a user name", func() (any, error) {
		var err error
		login, err = c.with("none", "", "").write("auth/userpass/login/"+own, object{"password": "pw-" + own})
		return nil, err
	})
	user := at(must(c.read("sys/auth/userpass")), "data", "accessor")
	ofLogin := c.with(at(login, "auth", "client_token"), "", "")
	r.step("look up the token of a login", func() (any, error) { _, err := ofLogin.read("auth/token/lookup-self"); return nil, err })
	r.step("what the token of a login may not do", func() (any, error) { _, err := ofLogin.read("sys/mounts"); return nil, err })
	write("look up the entity of a login", "identity/lookup/entity", object{"alias_name": own, "alias_mount_accessor": user})
	write("move the alias of a login", "identity/entity-alias", object{"name": own, "canonical_id": entity, "mount_accessor": user})
	r.step("log in again", func() (any, error) {
		_, err := c.with("none", "", "").write("auth/userpass/login/"+own, object{"password": "pw-" + own})
		return nil, err
	})
	for _, each := range []struct {
		name, path string
		data       object
	}{
		{"log in without a password", "auth/userpass/login/" + own, object{}},
		{"log in with a wrong password", "auth/userpass/login/" + own, object{"password": "wrong"}},
		{"log in at no mount", "auth/none/login/x", object{"password": "wrong"}},
		{"log in with a role", "auth/approle/login", object{"role_id": "role-" + own, "secret_id": "secret-" + own}},
		{"log in without a role", "auth/approle/login", object{}},
		{"log in without a secret", "auth/approle/login", object{"role_id": "role-" + own}},
		{"log in with a wrong secret", "auth/approle/login", object{"role_id": "role-" + own, "secret_id": "x"}},
	} {
		r.step(each.name, func() (any, error) { _, err := c.with("none", "", "").write(each.path, each.data); return nil, err })
	}

	remove("delete an alias", "identity/entity-alias/id/"+alias)
	remove("delete an entity", "identity/entity/id/"+entity)
	remove("delete it again", "identity/entity/id/"+entity)
	remove("disable an auth method", "sys/auth/"+people)
	remove("unmount an engine", "sys/mounts/"+ldap)
	read("read where an engine was", ldap+"/config")
}

func listIs(value []string) map[string][]string {
	return map[string][]string{"list": value}
}
