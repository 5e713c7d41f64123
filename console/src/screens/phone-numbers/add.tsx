import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useMemo } from 'react'
import { api } from '../../api/client.ts'
import { carriersToChooseQuery } from '../../api/record-queries.ts'
import { accountsQuery } from '../../api/shared-queries.ts'
import { toaster } from '../../feedback/toaster.ts'
import { RecordForm } from '../../form/record-form.tsx'
import { useAddForm } from '../../form/use-add-form.ts'
import { startAccount } from '../../record/default-account.ts'
import { accountList } from '../../routes/accounts.ts'
import { carrierList } from '../../routes/carriers.ts'
import { addPhoneNumber, phoneNumberList } from '../../routes/phone-numbers.ts'
import { useNavigateTo } from '../../screen/links.tsx'
import { ScreenHeader } from '../../screen/screen-header.tsx'
import { useProviderSid } from '../../session/current-provider.ts'
import { requiredSession } from '../../session/session.ts'
import {
  emptyNumber,
  isDuplicateNumber,
  loadNumberLengths,
  numberFieldErrors,
  numberValues,
  toPayload,
} from './form/number-form.ts'
import { NumberSection } from './form/number-section.tsx'

const schema = numberValues({ isNew: true })

/** Returns the preselected account. Account users can add numbers only to their own account. */
const useKnownAccount = (service_provider_sid: string): { account_sid: string; hasAccounts: boolean } => {
  const { actor } = requiredSession()
  const isOwn = actor.account_sid !== null
  const accounts = useQuery({ ...accountsQuery(service_provider_sid), enabled: !isOwn }).data
  if (actor.account_sid !== null) return { account_sid: actor.account_sid, hasAccounts: true }
  return { account_sid: startAccount(accounts ?? []), hasAccounts: accounts?.length !== 0 }
}

/** Leaves the page if there is no account or no carrier, because a phone number requires both. */
const useLeaveWhenMissing = (hasAccounts: boolean, hasCarriers: boolean): void => {
  const go = useNavigateTo()
  useEffect(() => {
    if (hasAccounts && hasCarriers) return
    toaster.failure(
      `You must create ${hasAccounts ? 'a SIP trunk' : 'an account'} before you can create a phone number.`,
    )
    void go({ to: hasAccounts ? carrierList : accountList, replace: true })
  }, [hasAccounts, hasCarriers, go])
}

/** Adds a phone number. */
export const AddPhoneNumberPage = (): ReactNode => {
  const { actor } = requiredSession()
  const service_provider_sid = useProviderSid()
  const { account_sid, hasAccounts } = useKnownAccount(service_provider_sid)
  const carriers = useQuery(carriersToChooseQuery(service_provider_sid, actor.account_sid ?? '', '')).data
  useLeaveWhenMissing(hasAccounts, carriers?.total !== 0)
  // If they cannot be loaded, the form accepts any length.
  useEffect(() => void loadNumberLengths().catch(() => undefined), [])
  const state = useAddForm({
    list: phoneNumberList,
    create: async (values) => (await api('POST /PhoneNumbers', { body: toPayload(values) })).sid,
    done: 'Phone number created successfully',
    changes: [['phone-numbers']],
    getAccount: (values) => values.account_sid,
    schema,
    stored: useMemo(() => ({ ...emptyNumber, account_sid }), [account_sid]),
    toFieldErrors: numberFieldErrors,
    isShownAtField: isDuplicateNumber,
  })
  return (
    <>
      <ScreenHeader
        screen={addPhoneNumber}
        description="Add a number and choose the application that handles its calls."
      />
      <RecordForm label="Add a phone number" state={state} list={phoneNumberList}>
        <NumberSection isNew service_provider_sid={service_provider_sid} />
      </RecordForm>
    </>
  )
}
