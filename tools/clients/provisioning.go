package main

import (
	"context"
	"os"

	tfe "github.com/hashicorp/go-tfe"
)

// provisioningSteps follows the client's own tests, and prints what those look at.
func provisioningSteps(r *recorder, address string) {
	ctx := context.Background()
	client := must(tfe.NewClient(&tfe.Config{Address: address, Token: os.Getenv("PROVISIONING_TOKEN"), HTTPClient: r.http()}))
	organization, workspace, user := os.Getenv("TFE_ORGANIZATION"), os.Getenv("TFE_WORKSPACE"), os.Getenv("TFE_USER")
	admin := client.Admin.Organizations

	for _, each := range []struct {
		name    string
		options tfe.AdminOrganizationUpdateOptions
	}{
		{"first", tfe.AdminOrganizationUpdateOptions{
			AccessBetaTools: tfe.Bool(true), GlobalModuleSharing: tfe.Bool(false), GlobalProviderSharing: tfe.Bool(false),
			IsDisabled: tfe.Bool(false), TerraformBuildWorkerApplyTimeout: tfe.String("24h"), TerraformBuildWorkerPlanTimeout: tfe.String("24h"),
			ApplyTimeout: tfe.String("24h"), PlanTimeout: tfe.String("24h"), TerraformWorkerSudoEnabled: true,
		}},
		{"second", tfe.AdminOrganizationUpdateOptions{
			GlobalModuleSharing: tfe.Bool(true), GlobalProviderSharing: tfe.Bool(true), IsDisabled: tfe.Bool(true), WorkspaceLimit: tfe.Int(42),
		}},
		{"third", tfe.AdminOrganizationUpdateOptions{
			GlobalModuleSharing: tfe.Bool(false), GlobalProviderSharing: tfe.Bool(false), IsDisabled: tfe.Bool(false), WorkspaceLimit: tfe.Int(0),
		}},
	} {
		r.step("the "+each.name+" update of an organization", func() (any, error) { return admin.Update(ctx, organization, each.options) })
	}
	r.step("update an organization that does not exist", func() (any, error) {
		return admin.Update(ctx, "none", tfe.AdminOrganizationUpdateOptions{})
	})
	r.step("list organizations with their owners", func() (any, error) {
		list, err := admin.List(ctx, &tfe.AdminOrganizationListOptions{Include: []tfe.AdminOrgIncludeOpt{tfe.AdminOrgOwners}})
		if err != nil {
			return nil, err
		}
		return list.Items[0].Owners[0].Email, nil
	})
	r.step("a consumer that does not exist", func() (any, error) {
		return nil, admin.UpdateModuleConsumers(ctx, organization, []string{"1Hello!"})
	})

	project := must(client.Projects.Create(ctx, organization, tfe.ProjectCreateOptions{Name: "a project"}))
	r.step("rename a project", func() (any, error) {
		changed, err := client.Projects.Update(ctx, project.ID, tfe.ProjectUpdateOptions{Name: tfe.String("another name")})
		if err != nil {
			return nil, err
		}
		return changed.Name, nil
	})
	r.step("delete a project", func() (any, error) { return nil, client.Projects.Delete(ctx, project.ID) })

	notifications := client.NotificationConfigurations
	email := must(notifications.Create(ctx, workspace, tfe.NotificationConfigurationCreateOptions{
		DestinationType: tfe.NotificationDestination(tfe.NotificationDestinationTypeEmail), Enabled: tfe.Bool(false),
		Name: tfe.String("mails"), EmailUsers: []*tfe.User{{ID: user}},
	}))
	r.step("update an email configuration without its users", func() (any, error) {
		changed, err := notifications.Update(ctx, email.ID, tfe.NotificationConfigurationUpdateOptions{
			Enabled: tfe.Bool(true), Name: tfe.String("newName"),
		})
		if err != nil {
			return nil, err
		}
		return len(changed.EmailUsers), nil
	})
	r.step("update it without options", func() (any, error) {
		_, err := notifications.Update(ctx, email.ID, tfe.NotificationConfigurationUpdateOptions{})
		return nil, err
	})
	r.step("a page out of range", func() (any, error) {
		list, err := notifications.List(ctx, workspace, &tfe.NotificationConfigurationListOptions{
			ListOptions: tfe.ListOptions{PageNumber: 999, PageSize: 100},
		})
		if err != nil {
			return nil, err
		}
		return list.Pagination, nil
	})
	r.step("a configuration that does not exist", func() (any, error) {
		_, err := notifications.Read(ctx, "nonexisting")
		return nil, err
	})
}
