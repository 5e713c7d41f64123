import { type Actor, can } from '@patchbay/contract/access'
import type { VoipCarrier } from '@patchbay/contract/voip-carriers'
import { useQuery } from '@tanstack/react-query'
import { PhoneIncoming } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { ApiError, errorMessage, getRequestId } from '../../api/api-error.ts'
import { carrierQuery } from '../../api/record-queries.ts'
import { historyTab } from '../../record/audit/history-tab.tsx'
import { LastChange } from '../../record/audit/last-change.tsx'
import { readLastChange } from '../../record/audit/read-last-change.ts'
import { useLastChangeKnown } from '../../record/audit/use-last-change-loaded.ts'
import { RecordForm } from '../../form/record-form.tsx'
import { useRecordForm } from '../../form/use-record-form.tsx'
import { FormLoading } from '../../form/form-loading.tsx'
import { prefetchWithin } from '../../lazy/prefetch.ts'
import { listBackLink, highlightRow } from '../../list/list-navigation-state.ts'
import { ScreenLink, useNavigateTo, useScreenParams } from '../../screen/links.tsx'
import { queryClient } from '../../api/query-client.ts'
import { RecordHeader } from '../../record/record-header.tsx'
import { canOpen } from '../../routes/define-screen.ts'
import { ScreenHeader } from '../../screen/screen-header.tsx'
import { ScreenTabs } from '../../screen/screen-tabs.tsx'
import { ExportMenu } from '../../list/export-menu.tsx'
import { useAction } from '../../feedback/use-action.ts'
import { isAccessError, useRedirectOnError } from '../../screen/use-redirect-on-error.ts'
import { useErrorToast } from '../../feedback/use-error-toast.ts'
import { requiredSession } from '../../session/session.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { FormSkeleton } from '../../ui/form-skeleton.tsx'
import { LoadFailed } from '../../ui/list-state.tsx'
import { inboundExplainer } from '../../routes/inbound-explainer.ts'
import { ActiveState, RegistrationState } from './carrier-state.tsx'
import { DeleteCarrier } from './delete-carrier.lazy.ts'
import {
  type CarrierValues,
  carrierRefusal,
  gatewayFormatters,
  carrierValues,
  orderLike,
  type StoredCarrier,
  toFormValues,
} from './form/carrier-form.ts'
import { CarrierSection } from './form/carrier-section.tsx'
import { CarrierTabs } from './form/carrier-tabs.tsx'
import { changeCarrier } from './form/save-carrier.ts'
import { nameErrors } from './form/name-conflicts.ts'
import { changeDeniedReason } from './can-change.ts'
import { sipGatewaysQuery, smppGatewaysQuery } from './queries.ts'
import { RegisterStatus } from './register-status.tsx'
import { carrierList, editCarrier } from '../../routes/carriers.ts'
import { UsedByTab } from './used-by-tab.tsx'

export const loader = ({ params: { voip_carrier_sid } }: { params: { voip_carrier_sid: string } }): Promise<unknown> =>
  prefetchWithin(() =>
    Promise.all([
      queryClient.ensureQueryData(carrierQuery(voip_carrier_sid)),
      queryClient.ensureQueryData(sipGatewaysQuery(voip_carrier_sid)),
      queryClient.ensureQueryData(smppGatewaysQuery(voip_carrier_sid)),
      readLastChange('voip_carrier', voip_carrier_sid),
    ]),
  )

const notYours = 'You do not have permissions to make changes to this Carrier'

/**
 * Returns the error that prevents the user from opening this carrier. An account can use its service provider's
 * carriers but cannot open them.
 */
const getAccessError = (
  actor: Actor,
  { data, error }: { data: VoipCarrier | undefined; error: Error | null },
): Error | null => (data && !can(actor, 'read', data) ? new ApiError('refused', 403, notYours) : error)

/** Edits a carrier and its gateways. The SID comes from the URL. */
export const EditCarrierPage = (): ReactNode => {
  const { voip_carrier_sid } = useScreenParams(editCarrier)
  const carrier = useQuery(carrierQuery(voip_carrier_sid))
  const isLastChangeLoaded = useLastChangeKnown('voip_carrier', voip_carrier_sid)
  // The session at mount time, so that a sign-in as another user does not navigate away from unsaved edits.
  const [{ actor }] = useState(requiredSession)
  const refusal = getAccessError(actor, carrier)
  const isAccessible = carrier.data !== undefined && refusal === carrier.error
  useRedirectOnError(isAccessible ? undefined : refusal, carrierList.path)
  const failed = carrier.data === undefined && !isAccessError(carrier.error) ? carrier.error : null
  useErrorToast(failed)
  if (isAccessible && carrier.data && isLastChangeLoaded)
    return <CarrierRecord key={voip_carrier_sid} carrier={carrier.data} refusal={carrier.error} />
  return (
    <>
      <ScreenHeader screen={editCarrier} />
      {failed ? (
        <LoadFailed
          message={errorMessage(failed)}
          requestId={getRequestId(failed)}
          onRetry={() => void carrier.refetch()}
        />
      ) : (
        <FormSkeleton sections={4} />
      )}
    </>
  )
}

const CarrierRecord = ({ carrier, refusal }: { carrier: VoipCarrier; refusal: Error | null }) => {
  const { voip_carrier_sid, name } = carrier
  const go = useNavigateTo()
  const [deleting, setDeleting] = useState(false)
  return (
    <>
      <RecordHeader
        screen={editCarrier}
        name={name}
        sid={voip_carrier_sid}
        state={
          <>
            <ActiveState is_active={carrier.is_active} />
            <RegistrationState carrier={carrier} />
          </>
        }
        createdAt={carrier.created_at}
        changed={<LastChange kind="voip_carrier" sid={voip_carrier_sid} />}
        actions={
          <>
            {canOpen(inboundExplainer, requiredSession().actor) && (
              <ScreenLink to={inboundExplainer} className={buttonClass('secondary')}>
                <PhoneIncoming size={16} aria-hidden="true" />
                Calls that come in
              </ScreenLink>
            )}
            <ExportMenu
              endpoint="GET /VoipCarriers/:voip_carrier_sid"
              input={{ params: { voip_carrier_sid } }}
              rows={() => [carrier]}
            />
            {changeDeniedReason(requiredSession().actor) === undefined && (
              <Button onClick={() => setDeleting(true)}>Delete carrier</Button>
            )}
          </>
        }
      />
      <ScreenTabs
        screen={editCarrier}
        label="Parts of the carrier"
        tabs={[
          { id: 'details', label: 'Details', stays: true, content: <DetailsTab carrier={carrier} refusal={refusal} /> },
          { id: 'used-by', label: 'Used by', content: <UsedByTab voip_carrier_sid={voip_carrier_sid} /> },
          ...historyTab({ kind: 'voip_carrier', sid: voip_carrier_sid }),
        ]}
      />
      {deleting && (
        <DeleteCarrier
          carrier={carrier}
          onClose={() => setDeleting(false)}
          onDeleted={() => go({ ...listBackLink(carrierList), ignoreBlocker: true })}
        />
      )}
    </>
  )
}

const DetailsTab = ({ carrier, refusal }: { carrier: VoipCarrier; refusal: Error | null }) => {
  const { voip_carrier_sid } = carrier
  const sip = useQuery(sipGatewaysQuery(voip_carrier_sid))
  const smpp = useQuery(smppGatewaysQuery(voip_carrier_sid))
  const loaded = useMemo(
    () => sip.data && smpp.data && { carrier, sip: sip.data, smpp: smpp.data },
    [carrier, sip.data, smpp.data],
  )
  if (loaded === undefined) return <FormLoading queries={[sip, smpp]} sections={3} />
  return <CarrierEditor loaded={loaded} refusal={refusal} />
}

const readAgain = async ({ voip_carrier_sid, ...owner }: VoipCarrier): Promise<StoredCarrier> => {
  // Another user may have signed in from another tab since this page was opened.
  if (!can(requiredSession().actor, 'read', owner)) throw new ApiError('refused', 403, notYours)
  const [carrier, sip, smpp] = await Promise.all([
    queryClient.fetchQuery({ ...carrierQuery(voip_carrier_sid), staleTime: 0 }),
    queryClient.fetchQuery({ ...sipGatewaysQuery(voip_carrier_sid), staleTime: 0 }),
    queryClient.fetchQuery({ ...smppGatewaysQuery(voip_carrier_sid), staleTime: 0 }),
  ])
  return { carrier, sip, smpp }
}

/** Form of the carrier. Refetches of the carrier never overwrite unsaved edits. */
const CarrierEditor = ({ loaded, refusal }: { loaded: StoredCarrier; refusal: Error | null }) => {
  const { carrier } = loaded
  const { voip_carrier_sid } = carrier
  const service_provider_sid = carrier.service_provider_sid ?? ''
  const go = useNavigateTo()
  const stored = useMemo(() => toFormValues(loaded), [loaded])
  const change = useAction({
    run: ({ values, before }: { values: CarrierValues; before: CarrierValues }) =>
      changeCarrier({ voip_carrier_sid, service_provider_sid, values, before, setSid: state.form.setValue }),
    done: () => 'Carrier updated successfully',
    changes: [
      ['carriers'],
      ['gateway-counts'],
      carrierQuery(voip_carrier_sid).queryKey,
      sipGatewaysQuery(voip_carrier_sid).queryKey,
      smppGatewaysQuery(voip_carrier_sid).queryKey,
    ],
  })
  const state = useRecordForm({
    schema: carrierValues,
    stored,
    latest: async (formValues) => orderLike(toFormValues(await readAgain(carrier)), formValues),
    check: async ({ name }, before) =>
      name === before.name ? {} : nameErrors(service_provider_sid, name, voip_carrier_sid),
    conflictFormatters: gatewayFormatters,
    refusal: carrierRefusal,
    save: async (values, before) => {
      await change.mutateAsync({ values, before })
      highlightRow(carrierList, voip_carrier_sid)
      await go({ ...listBackLink(carrierList), ignoreBlocker: true })
    },
  })

  // A refetch that fails with an access error does not navigate away from unsaved edits. Saving reports the error.
  useRedirectOnError(state.form.formState.isDirty ? undefined : refusal, carrierList.path)

  return (
    <RecordForm
      label="Edit carrier"
      state={state}
      cancel={
        <ScreenLink {...listBackLink(carrierList)} className={buttonClass('secondary')}>
          Cancel
        </ScreenLink>
      }
    >
      {Boolean(carrier.requires_register) && <RegisterStatus carrier={carrier} />}
      <CarrierSection voip_carrier_sid={voip_carrier_sid} />
      <CarrierTabs service_provider_sid={service_provider_sid} stored={stored} />
    </RecordForm>
  )
}
