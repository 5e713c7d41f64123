import type { MsTeamsTenant } from '@patchbay/contract/ms-teams-tenants'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo, useState } from 'react'
import { api } from '../../api/client.ts'
import { errorMessage, getRequestId } from '../../api/api-error.ts'
import { historyTab } from '../../record/audit/history-tab.tsx'
import { LastChange } from '../../record/audit/last-change.tsx'
import { readLastChange } from '../../record/audit/read-last-change.ts'
import { useLastChangeKnown } from '../../record/audit/use-last-change-loaded.ts'
import { changedMembers } from '../../form/changed-members.ts'
import { RecordForm } from '../../form/record-form.tsx'
import { useRecordForm } from '../../form/use-record-form.tsx'
import { prefetchWithin } from '../../lazy/prefetch.ts'
import { listBackLink, highlightRow } from '../../list/list-navigation-state.ts'
import { ScreenLink, useNavigateTo, useScreenParams } from '../../screen/links.tsx'
import { queryClient } from '../../api/query-client.ts'
import { RecordHeader } from '../../record/record-header.tsx'
import { ScreenHeader } from '../../screen/screen-header.tsx'
import { ScreenTabs } from '../../screen/screen-tabs.tsx'
import { ExportMenu } from '../../list/export-menu.tsx'
import { useAction } from '../../feedback/use-action.ts'
import { isAccessError, useRedirectOnError } from '../../screen/use-redirect-on-error.ts'
import { viewOnlyReason } from '../../session/view-only.ts'
import { requiredSession } from '../../session/session.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { FormSkeleton } from '../../ui/form-skeleton.tsx'
import { LoadFailed } from '../../ui/list-state.tsx'
import { DeleteTenant } from './delete-tenant.tsx'
import { toFormValues, toFieldErrors, toPayload, tenantValues } from './form/tenant-form.ts'
import { TenantSection } from './form/tenant-section.tsx'
import { teamsTenantQuery } from './queries.ts'
import { editTeamsTenant, teamsTenantList } from '../../routes/ms-teams-tenants.ts'

const kind = 'ms_teams_tenant'

export const loader = ({ params }: { params: { ms_teams_tenant_sid: string } }): Promise<unknown> =>
  prefetchWithin(() =>
    Promise.all([
      queryClient.ensureQueryData(teamsTenantQuery(params.ms_teams_tenant_sid)),
      readLastChange(kind, params.ms_teams_tenant_sid),
    ]),
  )

/** Edits a Teams tenant. The SID comes from the URL. */
export const EditTeamsTenantPage = (): ReactNode => {
  const { ms_teams_tenant_sid } = useScreenParams(editTeamsTenant)
  const tenant = useQuery(teamsTenantQuery(ms_teams_tenant_sid))
  const isLastChangeLoaded = useLastChangeKnown(kind, ms_teams_tenant_sid)
  useRedirectOnError(tenant.data ? undefined : tenant.error, teamsTenantList.path)
  if (tenant.data && isLastChangeLoaded)
    return <TenantRecord key={ms_teams_tenant_sid} tenant={tenant.data} refusal={tenant.error} />
  return (
    <>
      <ScreenHeader screen={editTeamsTenant} />
      {tenant.isError && !isAccessError(tenant.error) ? (
        <LoadFailed
          message={errorMessage(tenant.error)}
          requestId={getRequestId(tenant.error)}
          onRetry={() => void tenant.refetch()}
        />
      ) : (
        <FormSkeleton sections={1} />
      )}
    </>
  )
}

const TenantRecord = ({ tenant, refusal }: { tenant: MsTeamsTenant; refusal: Error | null }) => {
  const { ms_teams_tenant_sid, tenant_fqdn } = tenant
  const go = useNavigateTo()
  const [deleting, setDeleting] = useState(false)
  const viewOnly = viewOnlyReason(requiredSession().actor)
  return (
    <>
      <RecordHeader
        screen={editTeamsTenant}
        name={tenant_fqdn}
        sid={ms_teams_tenant_sid}
        changed={<LastChange kind={kind} sid={ms_teams_tenant_sid} />}
        actions={
          <>
            <ExportMenu
              endpoint="GET /MicrosoftTeamsTenants/:ms_teams_tenant_sid"
              input={{ params: { ms_teams_tenant_sid } }}
              rows={() => [tenant]}
            />
            {!viewOnly && <Button onClick={() => setDeleting(true)}>Delete tenant</Button>}
          </>
        }
      />
      <ScreenTabs
        screen={editTeamsTenant}
        label="Parts of the tenant"
        tabs={[
          { id: 'details', label: 'Details', stays: true, content: <TenantEditor tenant={tenant} refusal={refusal} /> },
          ...historyTab({ kind, sid: ms_teams_tenant_sid }),
        ]}
      />
      {deleting && (
        <DeleteTenant
          tenant={tenant}
          onClose={() => setDeleting(false)}
          onDeleted={() => go({ ...listBackLink(teamsTenantList), ignoreBlocker: true })}
        />
      )}
    </>
  )
}

/** Form of the tenant. Refetches of the tenant never overwrite unsaved edits. */
const TenantEditor = ({ tenant, refusal }: { tenant: MsTeamsTenant; refusal: Error | null }) => {
  const { ms_teams_tenant_sid, service_provider_sid } = tenant
  const go = useNavigateTo()
  const chooses = requiredSession().actor.scope !== 'account'
  const stored = useMemo(() => toFormValues(tenant), [tenant])
  const change = useAction({
    run: (body: Partial<ReturnType<typeof toPayload>>) =>
      api('PUT /MicrosoftTeamsTenants/:ms_teams_tenant_sid', { params: { ms_teams_tenant_sid }, body }),
    done: () => 'Microsoft Teams Tenant updated successfully',
    changes: [['ms-teams-tenants'], teamsTenantQuery(ms_teams_tenant_sid).queryKey],
  })
  const state = useRecordForm({
    schema: tenantValues,
    stored,
    latest: async () =>
      toFormValues(await queryClient.fetchQuery({ ...teamsTenantQuery(ms_teams_tenant_sid), staleTime: 0 })),
    refusal: toFieldErrors,
    save: async (values, before) => {
      const body = changedMembers(toPayload(values), toPayload(before))
      if (Object.keys(body).length > 0) await change.mutateAsync(body)
      highlightRow(teamsTenantList, ms_teams_tenant_sid)
      await go({ ...listBackLink(teamsTenantList), ignoreBlocker: true })
    },
  })

  // A refetch that fails with an access error does not navigate away from unsaved edits. Saving reports the error.
  useRedirectOnError(state.form.formState.isDirty ? undefined : refusal, teamsTenantList.path)

  return (
    <RecordForm
      label="Edit Microsoft Teams tenant"
      state={state}
      cancel={
        <ScreenLink {...listBackLink(teamsTenantList)} className={buttonClass('secondary')}>
          Cancel
        </ScreenLink>
      }
    >
      <TenantSection {...(chooses ? { service_provider_sid } : {})} />
    </RecordForm>
  )
}
