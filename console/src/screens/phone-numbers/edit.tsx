import type { PhoneNumber } from '@patchbay/contract/phone-numbers'
import { isPattern } from '@patchbay/rules/phone-number/format'
import { type ReactNode, useMemo } from 'react'
import { api } from '../../api/client.ts'
import { RecordForm } from '../../form/record-form.tsx'
import { useEditForm, useUpdate } from '../../form/use-edit-form.ts'
import { ExportMenu } from '../../list/export-menu.tsx'
import { prefetchRecord, RecordPage, RecordView } from '../../record/record-page.tsx'
import { editPhoneNumber, phoneNumberList } from '../../routes/phone-numbers.ts'
import { useScreenParams } from '../../screen/links.tsx'
import { useProviderSid } from '../../session/current-provider.ts'
import { requiredSession } from '../../session/session.ts'
import { viewOnlyReason } from '../../session/view-only.ts'
import { StateBadge } from '../../ui/badge.tsx'
import { usePhoneNumberFormat } from '../../ui/format/phone-number-format.ts'
import { DeleteNumber } from './delete-number.tsx'
import { numberFieldErrors, numberValues, toFormValues, toRoutingPayload } from './form/number-form.ts'
import { NumberSection } from './form/number-section.tsx'
import { phoneNumberQuery } from './queries.ts'
import { RefersTo } from './references-tab.tsx'

const page = { screen: editPhoneNumber, list: phoneNumberList, kind: 'phone_number' } as const

export const loader = ({ params: { phone_number_sid } }: { params: { phone_number_sid: string } }) =>
  prefetchRecord(page.kind, phone_number_sid, phoneNumberQuery(phone_number_sid))

/** Edits a phone number. The SID comes from the URL. */
export const EditPhoneNumberPage = (): ReactNode => {
  const { phone_number_sid } = useScreenParams(editPhoneNumber)
  const formatNumber = usePhoneNumberFormat()
  return (
    <RecordPage {...page} sid={phone_number_sid} query={phoneNumberQuery(phone_number_sid)} sections={1}>
      {(number, loadError) => (
        <RecordView
          {...page}
          sid={phone_number_sid}
          name={formatNumber(number.number)}
          badge={isPattern(number.number) && <StateBadge tone="neutral">pattern</StateBadge>}
          actions={
            <ExportMenu
              endpoint="GET /PhoneNumbers/:phone_number_sid"
              input={{ params: { phone_number_sid } }}
              rows={() => [number]}
            />
          }
          deletion={{
            label: 'Delete phone number',
            disabledReason: viewOnlyReason(requiredSession().actor),
            renderDialog: (handlers) => <DeleteNumber number={number} {...handlers} />,
          }}
          tabsLabel="Parts of the phone number"
          details={<NumberEditor number={number} loadError={loadError} />}
          tabs={[{ id: 'refers-to', label: 'Refers to', content: <RefersTo number={number} /> }]}
        />
      )}
    </RecordPage>
  )
}

const schema = numberValues({ isNew: false })

const NumberEditor = ({ number, loadError }: { number: PhoneNumber; loadError: Error | null }) => {
  const { phone_number_sid } = number
  const query = phoneNumberQuery(phone_number_sid)
  const service_provider_sid = useProviderSid()
  const update = useUpdate({
    run: (body: ReturnType<typeof toRoutingPayload>, options) =>
      api('PUT /PhoneNumbers/:phone_number_sid', { params: { phone_number_sid }, body }, options),
    done: () => 'Phone number updated successfully',
    changes: [['phone-numbers'], query.queryKey],
  })
  const state = useEditForm({
    sid: phone_number_sid,
    list: phoneNumberList,
    loadError,
    schema,
    stored: useMemo(() => toFormValues(number), [number]),
    versioned: { record: number, toValues: toFormValues },
    toFieldErrors: numberFieldErrors,
    save: (values, _before, options) => update(toRoutingPayload(values), options),
  })
  return (
    <RecordForm label="Edit phone number" state={state} list={phoneNumberList}>
      <NumberSection isNew={false} service_provider_sid={service_provider_sid} />
    </RecordForm>
  )
}
