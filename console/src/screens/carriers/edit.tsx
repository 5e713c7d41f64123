import { can } from '@patchbay/contract/api/access'
import type { VoipCarrier } from '@patchbay/contract/voip-carriers'
import { useQuery } from '@tanstack/react-query'
import { PhoneIncoming } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { ApiError } from '../../api/api-error.ts'
import { fetchLatest, queryClient } from '../../api/query-client.ts'
import { carrierQuery } from '../../api/record-queries.ts'
import { useAction } from '../../feedback/use-action.ts'
import { FormLoading } from '../../form/form-loading.tsx'
import { RecordForm } from '../../form/record-form.tsx'
import { useEditForm } from '../../form/use-edit-form.ts'
import { lazyPart } from '../../lazy/lazy-part.tsx'
import { ExportMenu } from '../../list/export-menu.tsx'
import { prefetchRecord, RecordPage, RecordView } from '../../record/record-page.tsx'
import { usedByTab } from '../../record/used-by-tab.tsx'
import { carrierList, editCarrier } from '../../routes/carriers.ts'
import { canOpen } from '../../routes/define-screen.ts'
import { inboundExplainer } from '../../routes/inbound-explainer.ts'
import { ScreenLink, useScreenParams } from '../../screen/links.tsx'
import { hasCarrierHealth } from '../../sections/carrier-health/queries.ts'
import { requiredSession } from '../../session/session.ts'
import { buttonClass } from '../../ui/button.tsx'
import { ActiveState, changeDeniedReason, RegistrationState } from './carrier-state.tsx'
import { DeleteCarrier } from './delete-carrier.lazy.ts'
import { carrierKinds } from './dependents.tsx'
import {
  type CarrierValues,
  carrierFieldErrors,
  carrierValues,
  gatewayFormatters,
  orderLike,
  type StoredCarrier,
  toFormValues,
} from './form/carrier-form.ts'
import { CarrierSection } from './form/carrier-section.tsx'
import { CarrierTabs } from './form/carrier-tabs.tsx'
import { nameErrors } from './form/name-conflicts.ts'
import { changeCarrier } from './form/save-carrier.ts'
import { sipGatewaysQuery, smppGatewaysQuery } from './queries.ts'
import { RegisterStatus } from './register-status.tsx'
import { carrierUsesQuery } from './used-by.ts'

/** Only the tab needs this part, so it loads on demand. */
const HealthTab = lazyPart('carrier-health', async () => (await import('./health/health-tab.tsx')).HealthTab)

const page = { screen: editCarrier, list: carrierList, kind: 'voip_carrier' } as const

export const loader = ({ params: { voip_carrier_sid } }: { params: { voip_carrier_sid: string } }) =>
  prefetchRecord(
    page.kind,
    voip_carrier_sid,
    carrierQuery(voip_carrier_sid),
    queryClient.ensureQueryData(sipGatewaysQuery(voip_carrier_sid)),
    queryClient.ensureQueryData(smppGatewaysQuery(voip_carrier_sid)),
  )

/** Accounts can use their service provider's carriers, but cannot open them. */
const deniedError = () => new ApiError('rejected', 403, 'You do not have permissions to make changes to this Carrier')

/** Edits a carrier and its gateways. The SID comes from the URL. */
export const EditCarrierPage = (): ReactNode => {
  const { voip_carrier_sid } = useScreenParams(editCarrier)
  // The session at mount time, so that a sign-in as another user does not navigate away from unsaved edits.
  const [{ actor }] = useState(requiredSession)
  return (
    <RecordPage
      {...page}
      sid={voip_carrier_sid}
      query={carrierQuery(voip_carrier_sid)}
      sections={4}
      onLoadError="toast"
      canOpen={(carrier) => can(actor, 'read', carrier)}
    >
      {(carrier, loadError) => (
        <RecordView
          {...page}
          sid={voip_carrier_sid}
          name={carrier.name}
          title={`${editCarrier.title}: ${carrier.name}`}
          badge={
            <>
              <ActiveState is_active={carrier.is_active} />
              <RegistrationState carrier={carrier} sids={[carrier.voip_carrier_sid]} />
            </>
          }
          createdAt={carrier.created_at}
          actions={
            <>
              {canOpen(inboundExplainer, requiredSession().actor) && (
                <ScreenLink to={inboundExplainer} className={buttonClass('secondary')}>
                  <PhoneIncoming size={16} aria-hidden="true" />
                  Test inbound routing
                </ScreenLink>
              )}
              <ExportMenu
                endpoint="GET /VoipCarriers/:voip_carrier_sid"
                input={{ params: { voip_carrier_sid } }}
                rows={() => [carrier]}
              />
            </>
          }
          deletion={
            changeDeniedReason(requiredSession().actor) === undefined && {
              label: 'Delete carrier',
              renderDialog: (handlers) => <DeleteCarrier carrier={carrier} {...handlers} />,
            }
          }
          tabsLabel="Parts of the carrier"
          details={<DetailsTab carrier={carrier} loadError={loadError} />}
          tabs={[
            ...(hasCarrierHealth()
              ? [{ id: 'health', label: 'Health', content: <HealthTab voip_carrier_sid={voip_carrier_sid} /> }]
              : []),
            usedByTab({
              query: carrierUsesQuery(voip_carrier_sid),
              toKinds: carrierKinds,
              description: 'Records that use this carrier. It can’t be deleted while it is in use.',
              empty: {
                title: 'Nothing uses this carrier.',
                hint: 'No phone number or outbound routing uses it.',
              },
            }),
          ]}
        />
      )}
    </RecordPage>
  )
}

const DetailsTab = ({ carrier, loadError }: { carrier: VoipCarrier; loadError: Error | null }) => {
  const { voip_carrier_sid } = carrier
  const sip = useQuery(sipGatewaysQuery(voip_carrier_sid))
  const smpp = useQuery(smppGatewaysQuery(voip_carrier_sid))
  const loaded = useMemo(
    () => sip.data && smpp.data && { carrier, sip: sip.data, smpp: smpp.data },
    [carrier, sip.data, smpp.data],
  )
  if (loaded === undefined) return <FormLoading queries={[sip, smpp]} sections={3} />
  return <CarrierEditor loaded={loaded} loadError={loadError} />
}

const readAgain = async ({ voip_carrier_sid, ...owner }: VoipCarrier): Promise<StoredCarrier> => {
  // Another user may have signed in from another tab since this page was opened.
  if (!can(requiredSession().actor, 'read', owner)) throw deniedError()
  const [carrier, sip, smpp] = await Promise.all([
    fetchLatest(carrierQuery(voip_carrier_sid)),
    fetchLatest(sipGatewaysQuery(voip_carrier_sid)),
    fetchLatest(smppGatewaysQuery(voip_carrier_sid)),
  ])
  return { carrier, sip, smpp }
}

const CarrierEditor = ({ loaded, loadError }: { loaded: StoredCarrier; loadError: Error | null }) => {
  const { carrier } = loaded
  const { voip_carrier_sid } = carrier
  const service_provider_sid = carrier.service_provider_sid ?? ''
  const stored = useMemo(() => toFormValues(loaded), [loaded])
  const change = useAction({
    run: ({ values, before }: { values: CarrierValues; before: CarrierValues }) =>
      changeCarrier({ voip_carrier_sid, values, before, setSid: state.form.setValue }),
    done: () => 'Carrier updated successfully',
    changes: [
      ['carriers'],
      ['gateway-counts'],
      ['carrier-health'],
      carrierQuery(voip_carrier_sid).queryKey,
      sipGatewaysQuery(voip_carrier_sid).queryKey,
      smppGatewaysQuery(voip_carrier_sid).queryKey,
    ],
  })
  const state = useEditForm({
    sid: voip_carrier_sid,
    list: carrierList,
    loadError,
    schema: carrierValues,
    stored,
    latest: async (formValues) => orderLike(toFormValues(await readAgain(carrier)), formValues),
    check: async ({ name }, before) =>
      name === before.name ? {} : nameErrors(service_provider_sid, name, voip_carrier_sid),
    conflictFormatters: gatewayFormatters,
    toFieldErrors: carrierFieldErrors,
    save: async (values, before) => {
      await change.mutateAsync({ values, before })
    },
  })
  return (
    <RecordForm label="Edit carrier" state={state} list={carrierList}>
      {Boolean(carrier.requires_register) && <RegisterStatus carrier={carrier} />}
      <CarrierSection voip_carrier_sid={voip_carrier_sid} />
      <CarrierTabs service_provider_sid={service_provider_sid} stored={stored} />
    </RecordForm>
  )
}
