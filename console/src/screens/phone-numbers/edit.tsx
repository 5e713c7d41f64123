import type { PhoneNumber } from '@patchbay/contract/phone-numbers'
import { formatPhoneNumber, isPattern } from '@patchbay/contract/phone-number/format'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo, useState } from 'react'
import { api } from '../../api/client.ts'
import { errorMessage, getRequestId } from '../../api/api-error.ts'
import { RecordForm } from '../../form/record-form.tsx'
import { useRecordForm } from '../../form/use-record-form.tsx'
import { prefetchWithin } from '../../lazy/prefetch.ts'
import { listBackLink, highlightRow } from '../../list/list-navigation-state.ts'
import { ScreenLink, useNavigateTo, useScreenParams } from '../../screen/links.tsx'
import { useProviderSid } from '../../session/current-provider.ts'
import { queryClient } from '../../api/query-client.ts'
import { RecordHeader } from '../../record/record-header.tsx'
import { LastChange } from '../../record/audit/last-change.tsx'
import { readLastChange } from '../../record/audit/read-last-change.ts'
import { useLastChangeKnown } from '../../record/audit/use-last-change-loaded.ts'
import { historyTab } from '../../record/audit/history-tab.tsx'
import { ScreenTabs } from '../../screen/screen-tabs.tsx'
import { ScreenHeader } from '../../screen/screen-header.tsx'
import { ExportMenu } from '../../list/export-menu.tsx'
import { useAction } from '../../feedback/use-action.ts'
import { isAccessError, useRedirectOnError } from '../../screen/use-redirect-on-error.ts'
import { viewOnlyReason } from '../../session/view-only.ts'
import { requiredSession } from '../../session/session.ts'
import { StateBadge } from '../../ui/badge.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { FormSkeleton } from '../../ui/form-skeleton.tsx'
import { LoadFailed } from '../../ui/list-state.tsx'
import { DeleteNumber } from './delete-number.tsx'
import { numberRefusal, type NumberValues, numberValues, toRoutingPayload, toFormValues } from './form/number-form.ts'
import { NumberSection } from './form/number-section.tsx'
import { phoneNumberQuery } from './queries.ts'
import { RefersTo } from './references-tab.tsx'
import { editPhoneNumber, phoneNumberList } from '../../routes/phone-numbers.ts'

export const loader = ({ params: { phone_number_sid } }: { params: { phone_number_sid: string } }): Promise<unknown> =>
  prefetchWithin(() =>
    Promise.all([
      queryClient.ensureQueryData(phoneNumberQuery(phone_number_sid)),
      readLastChange('phone_number', phone_number_sid),
    ]),
  )

/** Edits a phone number. The SID comes from the URL. */
export const EditPhoneNumberPage = (): ReactNode => {
  const { phone_number_sid } = useScreenParams(editPhoneNumber)
  const number = useQuery(phoneNumberQuery(phone_number_sid))
  const isLastChangeLoaded = useLastChangeKnown('phone_number', phone_number_sid)
  useRedirectOnError(number.data ? undefined : number.error, phoneNumberList.path)
  if (number.data && isLastChangeLoaded)
    return <NumberRecord key={phone_number_sid} number={number.data} refusal={number.error} />
  return (
    <>
      <ScreenHeader screen={editPhoneNumber} />
      {number.isError && !isAccessError(number.error) ? (
        <LoadFailed
          message={errorMessage(number.error)}
          requestId={getRequestId(number.error)}
          onRetry={() => void number.refetch()}
        />
      ) : (
        <FormSkeleton sections={1} />
      )}
    </>
  )
}

const NumberRecord = ({ number, refusal }: { number: PhoneNumber; refusal: Error | null }) => {
  const go = useNavigateTo()
  const [deleting, setDeleting] = useState(false)
  const { phone_number_sid } = number
  return (
    <>
      <RecordHeader
        screen={editPhoneNumber}
        name={formatPhoneNumber(number.number)}
        sid={phone_number_sid}
        changed={<LastChange kind="phone_number" sid={phone_number_sid} />}
        state={isPattern(number.number) && <StateBadge tone="neutral">pattern</StateBadge>}
        actions={
          <>
            <ExportMenu
              endpoint="GET /PhoneNumbers/:phone_number_sid"
              input={{ params: { phone_number_sid } }}
              rows={() => [number]}
            />
            <Button disabledReason={viewOnlyReason(requiredSession().actor)} onClick={() => setDeleting(true)}>
              Delete phone number
            </Button>
          </>
        }
      />
      <ScreenTabs
        screen={editPhoneNumber}
        label="Parts of the phone number"
        tabs={[
          { id: 'details', label: 'Details', stays: true, content: <NumberEditor number={number} refusal={refusal} /> },
          { id: 'refers-to', label: 'Refers to', content: <RefersTo number={number} /> },
          ...historyTab({ kind: 'phone_number', sid: phone_number_sid }),
        ]}
      />
      {deleting && (
        <DeleteNumber
          number={number}
          onClose={() => setDeleting(false)}
          onDeleted={() => go({ ...listBackLink(phoneNumberList), ignoreBlocker: true })}
        />
      )}
    </>
  )
}

const schema = numberValues({ isNew: false })

/** Form of the phone number. Refetches of the number never overwrite unsaved edits. */
const NumberEditor = ({ number, refusal }: { number: PhoneNumber; refusal: Error | null }) => {
  const { phone_number_sid } = number
  const go = useNavigateTo()
  const service_provider_sid = useProviderSid()
  const change = useAction({
    run: (values: NumberValues) =>
      api('PUT /PhoneNumbers/:phone_number_sid', { params: { phone_number_sid }, body: toRoutingPayload(values) }),
    done: () => 'Phone number updated successfully',
    changes: [['phone-numbers'], phoneNumberQuery(phone_number_sid).queryKey],
  })
  const state = useRecordForm({
    schema,
    stored: useMemo(() => toFormValues(number), [number]),
    latest: async () =>
      toFormValues(await queryClient.fetchQuery({ ...phoneNumberQuery(phone_number_sid), staleTime: 0 })),
    refusal: numberRefusal,
    save: async (values) => {
      await change.mutateAsync(values)
      highlightRow(phoneNumberList, phone_number_sid)
      await go({ ...listBackLink(phoneNumberList), ignoreBlocker: true })
    },
  })
  // A refetch that fails with an access error does not navigate away from unsaved edits. Saving reports the error.
  useRedirectOnError(state.form.formState.isDirty ? undefined : refusal, phoneNumberList.path)
  return (
    <RecordForm
      label="Edit phone number"
      state={state}
      cancel={
        <ScreenLink {...listBackLink(phoneNumberList)} className={buttonClass('secondary')}>
          Cancel
        </ScreenLink>
      }
    >
      <NumberSection isNew={false} service_provider_sid={service_provider_sid} />
    </RecordForm>
  )
}
