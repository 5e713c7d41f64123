import { can } from '@patchbay/contract/api/access'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo, useRef } from 'react'
import { queryClient } from '../../api/query-client.ts'
import { toaster } from '../../feedback/toaster.ts'
import { useAction } from '../../feedback/use-action.ts'
import { FormLoading } from '../../form/form-loading.tsx'
import { RecordForm } from '../../form/record-form.tsx'
import { useEditForm } from '../../form/use-edit-form.ts'
import { ExportMenu } from '../../list/export-menu.tsx'
import { prefetchRecord, RecordPage, RecordView } from '../../record/record-page.tsx'
import { addRouting, editRouting, routingList } from '../../routes/lcr.ts'
import { startPath, useNavigateTo, useScreenParams } from '../../screen/links.tsx'
import { requiredSession } from '../../session/session.ts'
import { StateBadge } from '../../ui/badge.tsx'
import { DeleteRouting } from './delete-routing.tsx'
import { conflictFormatters } from './form/conflict-formatters.ts'
import { DetailsSection } from './form/details-section.tsx'
import { type LcrValues, lcrFieldErrors, lcrValues, type StoredLcr, toFormValues } from './form/lcr-form.ts'
import { NoCarriers, useNoCarriers } from './form/no-carriers.tsx'
import { RoutesSection } from './form/routes-section.tsx'
import { changeLcr, findChanges, readLcr } from './form/save-lcr.ts'
import { routingName } from './list-filters.ts'
import { lcrQuery, routesQuery } from './queries.ts'

const page = { screen: editRouting, list: routingList, kind: 'lcr' } as const

export const loader = ({ params: { lcr_sid } }: { params: { lcr_sid: string } }) =>
  prefetchRecord(page.kind, lcr_sid, lcrQuery(lcr_sid), queryClient.ensureQueryData(routesQuery(lcr_sid)))

/** Edits an outbound routing. The SID comes from the URL. */
export const EditOutboundRoutesPage = (): ReactNode => {
  const { lcr_sid } = useScreenParams(editRouting)
  return (
    <RecordPage {...page} sid={lcr_sid} query={lcrQuery(lcr_sid)} sections={2} fallbackPath={startPath}>
      {(lcr, loadError) => <RoutingRecord lcr={lcr} loadError={loadError} />}
    </RecordPage>
  )
}

const RoutingRecord = ({ lcr, loadError }: { lcr: StoredLcr['lcr']; loadError: Error | null }) => {
  const { lcr_sid } = lcr
  const { actor } = requiredSession()
  const go = useNavigateTo()
  const routes = useQuery(routesQuery(lcr_sid))
  return (
    <RecordView
      {...page}
      sid={lcr_sid}
      name={routingName(lcr)}
      badge={<StateBadge tone={lcr.is_active ? 'good' : 'neutral'}>{lcr.is_active ? 'Active' : 'Inactive'}</StateBadge>}
      actions={
        <ExportMenu endpoint="GET /LcrRoutes" input={{ query: { lcr_sid } }} rows={() => [...(routes.data ?? [])]} />
      }
      deletion={
        // Admins delete routings from the list.
        actor.scope !== 'admin' &&
        can(actor, 'write', lcr) && {
          label: 'Delete routing',
          renderDialog: ({ onClose }) => (
            <DeleteRouting
              lcr={lcr}
              done={(name) => `Deleted least cost routing ${name}`}
              onClose={onClose}
              onDeleted={() => go({ to: addRouting, ignoreBlocker: true })}
            />
          ),
        }
      }
      tabsLabel="Parts of the outbound routing"
      details={
        routes.data ? (
          <RoutingEditor lcr={lcr} routes={routes.data} loadError={loadError} />
        ) : (
          <FormLoading queries={[routes]} sections={2} />
        )
      }
    />
  )
}

const RoutingEditor = ({ lcr, routes, loadError }: StoredLcr & { loadError: Error | null }) => {
  const { lcr_sid } = lcr
  const { actor } = requiredSession()
  const isAdmin = actor.scope === 'admin'
  const stored = useMemo(() => toFormValues({ lcr, routes }), [lcr, routes])
  const latest = useRef<StoredLcr>({ lcr, routes })
  const readAgain = async () => {
    latest.current = await readLcr(lcr_sid)
    return latest.current
  }
  const change = useAction({
    run: (values: LcrValues) => changeLcr(lcr_sid, values, latest.current.routes),
    done: () => 'Least cost routing successfully updated',
    changes: [['lcrs'], lcrQuery(lcr_sid).queryKey, routesQuery(lcr_sid).queryKey],
  })
  const noCarriers = useNoCarriers(stored.account_sid)

  const state = useEditForm({
    sid: lcr_sid,
    list: routingList,
    loadError,
    fallbackPath: startPath,
    schema: lcrValues,
    stored,
    latest: async () => toFormValues(await readAgain()),
    conflictFormatters,
    toFieldErrors: lcrFieldErrors,
    save: async (values) => {
      const { isChanged, changesRoutes } = findChanges(values, latest.current)
      if (isChanged) await change.mutateAsync(values)
      if (changesRoutes) toaster.success('Least cost routing rule successfully updated')
      // Only admins have a list of routings to return to.
      return isAdmin ? undefined : toFormValues(await readAgain())
    },
  })

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
      <RecordForm label="Edit outbound call routes" state={state} list={isAdmin && routingList} blocked={noCarriers}>
        <DetailsSection lcr_sid={lcr_sid} />
        <RoutesSection lcr_sid={lcr_sid} onDeleted={removeRoute} />
      </RecordForm>
    </>
  )
}
