import { zodResolver } from '@hookform/resolvers/zod'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { call } from '../../api/client.ts'
import { runtime } from '../../api/configuration.ts'
import { Failure, failureText } from '../../api/failure.ts'
import { accountsQuery } from '../../api/queries.ts'
import { queryClient } from '../../app/query-client.ts'
import type { RecordFormState } from '../../app/record-form.tsx'
import { useUnsavedGuard } from '../../app/unsaved-guard.tsx'
import { type AccountValues, accountValues } from './account-form.ts'

interface Wanted {
  service_provider_sid: string
  name: string
  sip_realm: string | null
  except?: string
}

/** Whether name and realm are taken: asked of the server, or where it cannot be asked, of the list. */
const lookUpTaken = async ({ service_provider_sid, name, sip_realm, except }: Wanted) => {
  if (runtime().extensions.has('accounts-taken'))
    return call('GET /patchbay/accounts/taken', {
      query: { service_provider_sid, name, ...(sip_realm ? { sip_realm } : {}), ...(except ? { except } : {}) },
    })
  const accounts = await queryClient.fetchQuery(accountsQuery(service_provider_sid))
  const others = accounts.filter(({ account_sid }) => account_sid !== except)
  return {
    name: others.some((other) => other.name.toLowerCase() === name.toLowerCase()),
    sip_realm: sip_realm !== null && others.some((other) => other.sip_realm?.toLowerCase() === sip_realm),
  }
}

const nameTaken = 'The name you have entered is already in use on another one of your accounts.'
const realmTaken = 'The SIP Realm you have entered is already in use on another one of your accounts.'

const takenTexts = { name: nameTaken, sip_realm: realmTaken } as const

const isField = (field: string | undefined): field is 'name' | 'sip_realm' => field === 'name' || field === 'sip_realm'

export interface AccountFormOptions {
  values: AccountValues
  /** undefined where neither is new */
  wanted: (values: AccountValues) => Wanted | undefined
  save: (values: AccountValues) => Promise<void>
}

/** What add and edit share: validation, the look-up of what is taken, one save at a time, and the server's refusals. */
export const useAccountForm = ({ values, wanted, save }: AccountFormOptions): RecordFormState<AccountValues> => {
  const form = useForm<AccountValues>({
    resolver: zodResolver(accountValues),
    defaultValues: values,
    mode: 'onTouched',
  })
  const [submitError, setSubmitError] = useState<string>()
  const prompt = useUnsavedGuard(form.formState.isDirty)

  const isTaken = async (given: AccountValues): Promise<boolean> => {
    const asked = wanted(given)
    if (asked === undefined) return false
    const taken = await lookUpTaken(asked)
    // The last that is set has the focus: the first field in error.
    if (taken.sip_realm) form.setError('sip_realm', { message: realmTaken }, { shouldFocus: true })
    if (taken.name) form.setError('name', { message: nameTaken }, { shouldFocus: true })
    return taken.name || taken.sip_realm
  }

  const saveValid = async (given: AccountValues): Promise<void> => {
    setSubmitError(undefined)
    try {
      if (await isTaken(given)) return
      await save(given)
    } catch (error) {
      const field = error instanceof Failure ? error.field : undefined
      if (isField(field)) {
        // Only what is taken is answered with 422: someone took it since it was looked up.
        const taken = error instanceof Failure && error.status === 422
        form.setError(field, { message: taken ? takenTexts[field] : failureText(error) })
      }
      setSubmitError(failureText(error))
      throw error
    }
  }

  const submit = () => {
    if (form.formState.isSubmitting) return
    // What is thrown has been shown; the form only has to know that it is not saved.
    form
      .handleSubmit(saveValid)()
      .catch(() => {})
  }
  return { form, submit, submitError, busy: form.formState.isSubmitting, prompt }
}
