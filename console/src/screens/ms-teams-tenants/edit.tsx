import type { MsTeamsTenant } from '@patchbay/contract/ms-teams-tenants'
import { type ReactNode, useMemo } from 'react'
import { api } from '../../api/client.ts'
import { changedMembers } from '../../form/changed-members.ts'
import { RecordForm } from '../../form/record-form.tsx'
import { useEditForm, useUpdate } from '../../form/use-edit-form.ts'
import { ExportMenu } from '../../list/export-menu.tsx'
import { prefetchRecord, RecordPage, RecordView } from '../../record/record-page.tsx'
import { editTeamsTenant, teamsTenantList } from '../../routes/ms-teams-tenants.ts'
import { useScreenParams } from '../../screen/links.tsx'
import { requiredSession } from '../../session/session.ts'
import { TenantSection, tenantValues, toFieldErrors, toFormValues, toPayload } from './form/tenant-form.tsx'
import { teamsTenantQuery } from './queries.ts'
import { DeleteTenant } from './tenant-messages.tsx'

const page = { screen: editTeamsTenant, list: teamsTenantList, kind: 'ms_teams_tenant' } as const

export const loader = ({ params: { ms_teams_tenant_sid } }: { params: { ms_teams_tenant_sid: string } }) =>
  prefetchRecord(page.kind, ms_teams_tenant_sid, teamsTenantQuery(ms_teams_tenant_sid))

/** Edits a Teams tenant. The SID comes from the URL. */
export const EditTeamsTenantPage = (): ReactNode => {
  const { ms_teams_tenant_sid } = useScreenParams(editTeamsTenant)
  return (
    <RecordPage {...page} sid={ms_teams_tenant_sid} query={teamsTenantQuery(ms_teams_tenant_sid)} sections={1}>
      {(tenant, loadError) => (
        <RecordView
          {...page}
          sid={ms_teams_tenant_sid}
          name={tenant.tenant_fqdn}
          actions={
            <ExportMenu
              endpoint="GET /MicrosoftTeamsTenants/:ms_teams_tenant_sid"
              input={{ params: { ms_teams_tenant_sid } }}
              rows={() => [tenant]}
            />
          }
          deletion={
            !requiredSession().actor.is_view_only && {
              label: 'Delete tenant',
              renderDialog: (handlers) => <DeleteTenant tenant={tenant} {...handlers} />,
            }
          }
          tabsLabel="Parts of the tenant"
          details={<TenantEditor tenant={tenant} loadError={loadError} />}
        />
      )}
    </RecordPage>
  )
}

const TenantEditor = ({ tenant, loadError }: { tenant: MsTeamsTenant; loadError: Error | null }) => {
  const { ms_teams_tenant_sid, service_provider_sid } = tenant
  const query = teamsTenantQuery(ms_teams_tenant_sid)
  const update = useUpdate({
    run: (body: Partial<ReturnType<typeof toPayload>>, options) =>
      api('PUT /MicrosoftTeamsTenants/:ms_teams_tenant_sid', { params: { ms_teams_tenant_sid }, body }, options),
    done: () => 'Microsoft Teams Tenant updated successfully',
    changes: [['ms-teams-tenants'], query.queryKey],
  })
  const state = useEditForm({
    sid: ms_teams_tenant_sid,
    list: teamsTenantList,
    loadError,
    schema: tenantValues,
    stored: useMemo(() => toFormValues(tenant), [tenant]),
    versioned: { record: tenant, toValues: toFormValues },
    toFieldErrors,
    save: (values, before, options) => update(changedMembers(toPayload(values), toPayload(before)), options),
  })
  const canChooseAccount = requiredSession().actor.scope !== 'account'
  return (
    <RecordForm label="Edit Microsoft Teams tenant" state={state} list={teamsTenantList}>
      <TenantSection {...(canChooseAccount ? { service_provider_sid } : {})} />
    </RecordForm>
  )
}
