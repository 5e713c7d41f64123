import { can } from '@patchbay/contract/access'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo, useRef, useState } from 'react'
import { errorMessage, getRequestId } from '../../api/api-error.ts'
import { historyTab } from '../../record/audit/history-tab.tsx'
import { LastChange } from '../../record/audit/last-change.tsx'
import { readLastChange } from '../../record/audit/read-last-change.ts'
import { useLastChangeKnown } from '../../record/audit/use-last-change-loaded.ts'
import { RecordForm } from '../../form/record-form.tsx'
import { useSaveParts } from '../../form/save-in-parts.ts'
import { useRecordForm } from '../../form/use-record-form.tsx'
import { FormLoading } from '../../form/form-loading.tsx'
import { prefetchWithin } from '../../lazy/prefetch.ts'
import { listBackLink, highlightRow } from '../../list/list-navigation-state.ts'
import { ScreenLink, useNavigateTo, useScreenParams } from '../../screen/links.tsx'
import { queryClient } from '../../api/query-client.ts'
import { RecordHeader } from '../../record/record-header.tsx'
import { ScreenHeader } from '../../screen/screen-header.tsx'
import { ScreenTabs } from '../../screen/screen-tabs.tsx'
import { ExportMenu } from '../../list/export-menu.tsx'
import { toaster } from '../../feedback/toaster.ts'
import { isAccessError, useRedirectOnError } from '../../screen/use-redirect-on-error.ts'
import { requiredSession } from '../../session/session.ts'
import { StateBadge } from '../../ui/badge.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { FormSkeleton } from '../../ui/form-skeleton.tsx'
import { LoadFailed } from '../../ui/list-state.tsx'
import { DeleteRouting } from './delete-routing.tsx'
import { conflictFormatters } from './form/conflict-texts.ts'
import { DetailsSection } from './form/details-section.tsx'
import {
  assignStoredSids,
  lcrRefusal,
  type LcrValues,
  lcrValues,
  type StoredLcr,
  toFormValues,
} from './form/lcr-form.ts'
import { NoCarriers, useNoCarriers } from './form/no-carriers.tsx'
import { RoutesSection } from './form/routes-section.tsx'
import { toSaveParts, readLcr } from './form/save-lcr.ts'
import { lcrQuery, routesQuery } from './queries.ts'
import { addRouting, editRouting, routingList } from '../../routes/lcr.ts'
import { routingName } from './list-filters.ts'

export const loader = ({ params: { lcr_sid } }: { params: { lcr_sid: string } }): Promise<unknown> =>
  prefetchWithin(() =>
    Promise.all([
      queryClient.ensureQueryData(lcrQuery(lcr_sid)),
      queryClient.ensureQueryData(routesQuery(lcr_sid)),
      readLastChange('lcr', lcr_sid),
    ]),
  )

/** Edits an outbound routing. The SID comes from the URL. */
export const EditOutboundRoutesPage = (): ReactNode => {
  const { lcr_sid } = useScreenParams(editRouting)
  const lcr = useQuery(lcrQuery(lcr_sid))
  const isLastChangeLoaded = useLastChangeKnown('lcr', lcr_sid)
  useRedirectOnError(lcr.data ? undefined : lcr.error)
  if (lcr.data && isLastChangeLoaded) return <RoutingRecord key={lcr_sid} lcr={lcr.data} refusal={lcr.error} />
  return (
    <>
      <ScreenHeader screen={editRouting} />
      {lcr.isError && !isAccessError(lcr.error) ? (
        <LoadFailed
          message={errorMessage(lcr.error)}
          requestId={getRequestId(lcr.error)}
          onRetry={() => void lcr.refetch()}
        />
      ) : (
        <FormSkeleton sections={2} />
      )}
    </>
  )
}

const RoutingRecord = ({ lcr, refusal }: { lcr: StoredLcr['lcr']; refusal: Error | null }) => {
  const { lcr_sid } = lcr
  const { actor } = requiredSession()
  const go = useNavigateTo()
  const [deleting, setDeleting] = useState(false)
  const routes = useQuery(routesQuery(lcr_sid))
  // Admins delete routings from the list.
  const canDelete = actor.scope !== 'admin' && can(actor, 'write', lcr)
  return (
    <>
      <RecordHeader
        screen={editRouting}
        name={routingName(lcr)}
        sid={lcr_sid}
        state={
          <StateBadge tone={lcr.is_active ? 'good' : 'neutral'}>{lcr.is_active ? 'Active' : 'Inactive'}</StateBadge>
        }
        changed={<LastChange kind="lcr" sid={lcr_sid} />}
        actions={
          <>
            <ExportMenu
              endpoint="GET /LcrRoutes"
              input={{ query: { lcr_sid } }}
              rows={() => [...(routes.data ?? [])]}
            />
            {canDelete && <Button onClick={() => setDeleting(true)}>Delete routing</Button>}
          </>
        }
      />
      <ScreenTabs
        screen={editRouting}
        label="Parts of the outbound routing"
        tabs={[
          {
            id: 'details',
            label: 'Details',
            stays: true,
            content: routes.data ? (
              <RoutingEditor lcr={lcr} routes={routes.data} refusal={refusal} />
            ) : (
              <FormLoading queries={[routes]} sections={2} />
            ),
          },
          ...historyTab({ kind: 'lcr', sid: lcr_sid }),
        ]}
      />
      {deleting && (
        <DeleteRouting
          lcr={lcr}
          done={(name) => `Deleted least cost routing ${name}`}
          onClose={() => setDeleting(false)}
          onDeleted={() => go({ to: addRouting, ignoreBlocker: true })}
        />
      )}
    </>
  )
}

/** Form of the routing. Refetches never overwrite unsaved edits. */
const RoutingEditor = ({ lcr, routes, refusal }: StoredLcr & { refusal: Error | null }) => {
  const { lcr_sid } = lcr
  const { actor } = requiredSession()
  const isAdmin = actor.scope === 'admin'
  const go = useNavigateTo()
  const stored = useMemo(() => toFormValues({ lcr, routes }), [lcr, routes])
  const latest = useRef<StoredLcr>({ lcr, routes })
  const readAgain = async () => {
    latest.current = await readLcr(lcr_sid)
    return latest.current
  }
  const change = useSaveParts({
    done: 'Least cost routing successfully updated',
    changes: [['lcrs'], lcrQuery(lcr_sid).queryKey, routesQuery(lcr_sid).queryKey],
  })
  const noCarriers = useNoCarriers(stored.account_sid)

  const state = useRecordForm({
    schema: lcrValues,
    stored,
    latest: async () => toFormValues(await readAgain()),
    conflictFormatters: conflictFormatters,
    refusal: lcrRefusal,
    save: async (values) => {
      const { parts, changesRoutes } = toSaveParts(latest.current, values)
      if (parts.length > 0) {
        try {
          await change.mutateAsync(parts)
        } catch (error) {
          // Some parts may have been saved. They become the new baseline, so that the next save does not send them
          // again.
          const now = toFormValues(await readAgain())
          state.rebase(
            () => now,
            () => ({ ...values, routes: assignStoredSids(values.routes, now.routes) }),
          )
          throw error
        }
        if (changesRoutes) toaster.success('Least cost routing rule successfully updated')
      }
      highlightRow(routingList, lcr_sid)
      if (!isAdmin) return toFormValues(await readAgain())
      await go({ ...listBackLink(routingList), ignoreBlocker: true })
      return values
    },
  })

  // A refetch that fails with an access error does not navigate away from unsaved edits. Saving reports the error.
  useRedirectOnError(state.form.formState.isDirty ? undefined : refusal)

  const removeRoute = (deletedRouteSid: string) => {
    const without = (values: LcrValues) => ({
      ...values,
      routes: values.routes.filter(({ lcr_route_sid }) => lcr_route_sid !== deletedRouteSid),
    })
    state.rebase(without, without)
    void queryClient.invalidateQueries({ queryKey: routesQuery(lcr_sid).queryKey })
  }
  return (
    <>
      <NoCarriers reason={noCarriers} />
      <RecordForm
        label="Edit outbound call routes"
        state={state}
        blocked={noCarriers}
        cancel={
          isAdmin && (
            <ScreenLink {...listBackLink(routingList)} className={buttonClass('secondary')}>
              Cancel
            </ScreenLink>
          )
        }
      >
        <DetailsSection lcr_sid={lcr_sid} />
        <RoutesSection lcr_sid={lcr_sid} onDeleted={removeRoute} />
      </RecordForm>
    </>
  )
}
