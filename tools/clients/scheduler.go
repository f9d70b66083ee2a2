package main

import (
	"context"
	"os"

	nomad "github.com/hashicorp/nomad/api"
)

func schedulerSteps(r *recorder, address string) {
	connect := func(token, region string) *nomad.Client {
		return must(nomad.NewClient(&nomad.Config{Address: address, SecretID: token, Region: region, HttpClient: r.http()}))
	}
	token := os.Getenv("SCHEDULER_TOKEN")
	for _, each := range []struct{ name, token, region string }{
		{"", token, ""},
		{" in the region", token, "global"},
		{" in a region that does not exist", token, "nope"},
		{" with a wrong token", "00000000-0000-0000-0000-000000000000", ""},
		{" without a token", "", ""},
	} {
		client := connect(each.token, each.region)
		r.step("leader"+each.name, func() (any, error) { _, err := client.Status().Leader(); return nil, err })
		r.step("peers"+each.name, func() (any, error) {
			peers, err := client.Status().Peers()
			return len(peers), err
		})
		r.step("regions"+each.name, func() (any, error) { return client.Regions().List() })
		r.step("health"+each.name, func() (any, error) {
			health, err := client.Agent().Health()
			if err != nil {
				return nil, err
			}
			return health.Server, nil
		})
		r.step("members"+each.name, func() (any, error) {
			members, err := client.Agent().Members()
			if err != nil {
				return nil, err
			}
			return []any{members.ServerRegion, members.ServerDC, len(members.Members), members.Members[0].Status}, nil
		})
		r.step("namespaces"+each.name, func() (any, error) {
			namespaces, _, err := client.Namespaces().List(nil)
			return len(namespaces), err
		})
		r.step("own token"+each.name, func() (any, error) {
			_, _, err := client.ACLTokens().Self(nil)
			return nil, err
		})
		r.step("agent"+each.name, func() (any, error) {
			self, err := client.Agent().Self()
			if err != nil {
				return nil, err
			}
			return self.Config["Region"], nil
		})
		r.step("event stream"+each.name, func() (any, error) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			_, err := client.EventStream().Stream(ctx, map[nomad.Topic][]string{nomad.TopicNode: {"*"}}, 0, &nomad.QueryOptions{})
			return nil, err
		})
	}
}
