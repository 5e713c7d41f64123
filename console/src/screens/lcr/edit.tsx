import { can } from '@patchbay/contract/api/access'
import type { WholeLcr } from '@patchbay/contract/lcrs'
import { type ReactNode, useMemo } from 'react'
import { fetchLatest, queryClient } from '../../api/query-client.ts'
import { toaster } from '../../feedback/toaster.ts'
import { isSame } from '../../form/compare-values.ts'
import { RecordForm } from '../../form/record-form.tsx'
import { useEditForm, useUpdate } from '../../form/use-edit-form.ts'
import { ExportMenu } from '../../list/export-menu.tsx'
import { prefetchRecord, RecordPage, RecordView } from '../../record/record-page.tsx'
import { addRouting, editRouting, routingList } from '../../routes/lcr.ts'
import { startPath, useNavigateTo, useScreenParams } from '../../screen/links.tsx'
import { requiredSession } from '../../session/session.ts'
import { StateBadge } from '../../ui/badge.tsx'
import { DeleteRouting } from './delete-routing.tsx'
import { conflictFormatters } from './form/conflict-formatters.ts'
import { DetailsSection } from './form/details-section.tsx'
import { type LcrValues, lcrFieldErrors, lcrValues, toFormValues } from './form/lcr-form.ts'
import { NoCarriers, useNoCarriers } from './form/no-carriers.tsx'
import { RoutesSection } from './form/routes-section.tsx'
import { changeLcr } from './form/save-lcr.ts'
import { routingName } from './list-filters.ts'
import { lcrQuery, routesQuery } from './queries.ts'

const page = { screen: editRouting, list: routingList, kind: 'lcr' } as const

export const loader = ({ params: { lcr_sid } }: { params: { lcr_sid: string } }) =>
  prefetchRecord(page.kind, lcr_sid, lcrQuery(lcr_sid))

/** Edits an outbound routing. The SID comes from the URL. */
export const EditOutboundRoutesPage = (): ReactNode => {
  const { lcr_sid } = useScreenParams(editRouting)
  return (
    <RecordPage {...page} sid={lcr_sid} query={lcrQuery(lcr_sid)} sections={2} fallbackPath={startPath}>
      {(lcr, loadError) => <RoutingRecord lcr={lcr} loadError={loadError} />}
    </RecordPage>
  )
}

interface RoutingProps {
  lcr: WholeLcr
  loadError: Error | null
}

const RoutingRecord = ({ lcr, loadError }: RoutingProps) => {
  const { lcr_sid } = lcr
  const { actor } = requiredSession()
  const go = useNavigateTo()
  return (
    <RecordView
      {...page}
      sid={lcr_sid}
      name={routingName(lcr)}
      badge={<StateBadge tone={lcr.is_active ? 'good' : 'neutral'}>{lcr.is_active ? 'Active' : 'Inactive'}</StateBadge>}
      actions={
        <ExportMenu
          endpoint="GET /LcrRoutes"
          input={{ query: { lcr_sid } }}
          rows={() => fetchLatest(routesQuery(lcr_sid))}
        />
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
      details={<RoutingEditor lcr={lcr} loadError={loadError} />}
    />
  )
}

const RoutingEditor = ({ lcr, loadError }: RoutingProps) => {
  const { lcr_sid } = lcr
  const query = lcrQuery(lcr_sid)
  const isAdmin = requiredSession().actor.scope === 'admin'
  const stored = useMemo(() => toFormValues(lcr), [lcr])
  const update = useUpdate({
    run: ({ values, routes }: Pick<WholeLcr, 'routes'> & { values: LcrValues }, options) =>
      changeLcr(lcr_sid, values, routes, options),
    done: () => 'Least cost routing successfully updated',
    changes: [['lcrs'], ['lcr-routes'], query.queryKey],
  })
  const noCarriers = useNoCarriers(stored.account_sid)

  const state = useEditForm({
    sid: lcr_sid,
    list: routingList,
    loadError,
    fallbackPath: startPath,
    schema: lcrValues,
    stored,
    versioned: { record: lcr, toValues: toFormValues },
    conflictFormatters,
    toFieldErrors: lcrFieldErrors,
    save: async (values, before, options) => {
      // The cast is safe: this form has read the record.
      const { routes } = options.base as WholeLcr
      if (!isSame(values, before)) await update({ values, routes }, options)
      if (!isSame(values.routes, before.routes)) toaster.success('Least cost routing rule successfully updated')
      // Only admins have a list of routings to return to. The update has outdated the query.
      return isAdmin ? undefined : toFormValues(await queryClient.fetchQuery(query))
    },
  })

  const removeRoute = async (deletedRouteSid: string) => {
    // If the read fails, the next save reads the record.
    const record = await fetchLatest(query).catch(() => undefined)
    await state.rebase(
      ({ routes, ...values }) => ({
        ...values,
        routes: routes.filter(({ lcr_route_sid }) => lcr_route_sid !== deletedRouteSid),
      }),
      record,
    )
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
