import { can } from '@patchbay/contract/api/access'
import type { WholeCarrier } from '@patchbay/contract/carriers-with-gateways'
import { PhoneIncoming } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { ApiError } from '../../api/api-error.ts'
import { fetchLatest } from '../../api/query-client.ts'
import { carrierQuery } from '../../api/record-queries.ts'
import { RecordForm } from '../../form/record-form.tsx'
import { useEditForm, useUpdate } from '../../form/use-edit-form.ts'
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
  toFormValues,
} from './form/carrier-form.ts'
import { wholeCarrierQuery } from './form/carrier-query.ts'
import { CarrierSection } from './form/carrier-section.tsx'
import { CarrierTabs } from './form/carrier-tabs.tsx'
import { GatewayDeletion } from './form/gateway-deletion.ts'
import { nameErrors } from './form/name-conflicts.ts'
import { changeCarrier } from './form/save-carrier.ts'
import { RegisterStatus } from './register-status.tsx'
import { carrierUsesQuery } from './used-by.ts'

/** Only the tab needs this part, so it loads on demand. */
const HealthTab = lazyPart('carrier-health', async () => (await import('./health/health-tab.tsx')).HealthTab)

const page = { screen: editCarrier, list: carrierList, kind: 'voip_carrier' } as const

export const loader = ({ params: { voip_carrier_sid } }: { params: { voip_carrier_sid: string } }) =>
  prefetchRecord(page.kind, voip_carrier_sid, wholeCarrierQuery(voip_carrier_sid))

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
      query={wholeCarrierQuery(voip_carrier_sid)}
      sections={4}
      onLoadError="toast"
      canOpen={({ carrier }) => can(actor, 'read', carrier)}
    >
      {(whole, loadError) => <CarrierRecord whole={whole} loadError={loadError} />}
    </RecordPage>
  )
}

interface CarrierProps {
  whole: WholeCarrier
  loadError: Error | null
}

const CarrierRecord = ({ whole, loadError }: CarrierProps) => {
  const { carrier } = whole
  const { voip_carrier_sid } = carrier
  return (
    <RecordView
      {...page}
      sid={voip_carrier_sid}
      name={carrier.name}
      prefix={editCarrier.title}
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
      details={<CarrierEditor whole={whole} loadError={loadError} />}
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
  )
}

const CarrierEditor = ({ whole, loadError }: CarrierProps) => {
  const { carrier } = whole
  const { voip_carrier_sid } = carrier
  const service_provider_sid = carrier.service_provider_sid ?? ''
  const stored = useMemo(() => toFormValues(whole), [whole])
  const update = useUpdate({
    run: (change: Record<'values' | 'before', CarrierValues>, options): Promise<void> =>
      changeCarrier({ voip_carrier_sid, ...change, setSid: state.form.setValue, options }),
    done: () => 'Carrier updated successfully',
    changes: [
      ['carriers'],
      ['gateway-counts'],
      ['carrier-health'],
      ['sip-gateways'],
      carrierQuery(voip_carrier_sid).queryKey,
    ],
  })
  const state = useEditForm<CarrierValues>({
    sid: voip_carrier_sid,
    list: carrierList,
    loadError,
    schema: carrierValues,
    stored,
    versioned: {
      record: whole,
      toValues: (record: WholeCarrier, formValues) => orderLike(toFormValues(record), formValues),
    },
    check: async ({ name }, before) => {
      // Another user may have signed in from another tab since this page was opened.
      if (!can(requiredSession().actor, 'read', carrier)) throw deniedError()
      return name === before.name ? {} : nameErrors(service_provider_sid, name, voip_carrier_sid)
    },
    conflictFormatters: gatewayFormatters,
    toFieldErrors: carrierFieldErrors,
    save: (values, before, options) => update({ values, before }, options),
  })
  return (
    <RecordForm label="Edit carrier" state={state} list={carrierList}>
      {Boolean(carrier.requires_register) && <RegisterStatus carrier={carrier} />}
      <CarrierSection voip_carrier_sid={voip_carrier_sid} />
      <GatewayDeletion
        value={async (removeGateway) =>
          // If the read fails, the next save reads the record.
          state.rebase(removeGateway, await fetchLatest(wholeCarrierQuery(voip_carrier_sid)).catch(() => undefined))
        }
      >
        <CarrierTabs service_provider_sid={service_provider_sid} stored={stored} />
      </GatewayDeletion>
    </RecordForm>
  )
}
