import type { Use } from '@patchbay/contract/speech/descriptor'
import type { SpeechChoice } from '@patchbay/contract/speech-credentials'
import { hasCredential, type ListedCredential, ownVoices, vendorChoices } from '@patchbay/rules/speech/choices'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useRef } from 'react'
import { speechListsQuery } from '../../../api/speech-lists.ts'
import { useErrorToast } from '../../../feedback/use-action.ts'
import type { SelectOption } from '../../../ui/fields/field.tsx'
import { useDebouncedValue } from '../../../ui/use-debounced-value.ts'
import { customVoicesQuery, useAsking } from './speech-queries.ts'

const none: readonly SpeechChoice[] = []

/** Delay between a change of vendor or label and the request for its lists, in milliseconds (APPS-31). */
const debounceMs = 200

/** Identifies the lists of a vendor and one of its credentials. */
export const speechListsKey = (vendor: string, label: string): string => JSON.stringify([vendor, label])

/** Returns the languages and voices of a vendor, or undefined while they load and for vendors without lists. */
export const useSpeechLists = (vendor: string, label: string, hasLists: boolean) => {
  const asking = useAsking()
  const listsKey = speechListsKey(vendor, label)
  const isRested = useDebouncedValue(listsKey, debounceMs) === listsKey
  const lists = useQuery({ ...speechListsQuery(asking, { vendor, label }), enabled: isRested && hasLists })
  useErrorToast(lists.error)
  return lists.data
}

/**
 * Returns the custom voices of a vendor's credentials, or undefined while they load. Empty for vendors without custom
 * voices.
 */
export const useOwnVoices = (
  hasOwn: boolean,
  account_sid: string,
  label: string,
): readonly SpeechChoice[] | undefined => {
  const isEnabled = hasOwn && account_sid !== ''
  const voices = useQuery({ ...customVoicesQuery({ account_sid }, label), enabled: isEnabled })
  const data = useMemo(() => voices.data && ownVoices(voices.data), [voices.data])
  return isEnabled && !voices.isError ? data : none
}

/**
 * Calls `start` once after the lists of a newly chosen vendor or credential have loaded, so that the dependent fields
 * can be set. Returns a function that registers a choice by its lists key; `of` is the key of the lists that are passed
 * in.
 */
export const useStart = <Lists>(
  lists: Lists | undefined,
  of: string,
  start: (lists: Lists, isOtherVendor: boolean) => void,
) => {
  const awaited = useRef<{ of: string; isOtherVendor: boolean }>(undefined)
  const latest = useRef(start)
  useEffect(() => {
    latest.current = start
  })
  useEffect(() => {
    const { current } = awaited
    if (lists === undefined || current?.of !== of) return
    awaited.current = undefined
    latest.current(lists, current.isOtherVendor)
  }, [lists, of])
  return (chosen: string, isOtherVendor: boolean) => {
    awaited.current = { of: chosen, isOtherVendor }
  }
}

/** Returns the options of a select field. The current value stays an option even if it is no longer offered. */
export const optionsWith = (choices: readonly SpeechChoice[], chosen: string): SelectOption[] => {
  const options = choices.map(({ value, name }) => ({ value, label: name }))
  return chosen === '' || choices.some(({ value }) => value === chosen)
    ? options
    : [...options, { value: chosen, label: chosen }]
}

/**
 * Returns the vendors to select, those first that the account has a speech service of. Without any speech service, the
 * vendors have no groups.
 */
export const vendorOptions = (
  use: Use,
  { credentials, account_sid }: { credentials: readonly ListedCredential[]; account_sid: string },
  chosen: string,
): SelectOption[] => {
  const [configured, others] = [[] as SelectOption[], [] as SelectOption[]]
  for (const option of optionsWith(vendorChoices(use, credentials), chosen))
    if (hasCredential(credentials, { use, vendor: option.value, account_sid })) configured.push(option)
    else others.push(option)
  if (configured.length === 0) return others
  return [
    ...configured.map((option) => ({ ...option, group: 'Your speech services' })),
    ...others.map((option) => ({ ...option, group: 'Without a speech service' })),
  ]
}

/** Returns a warning if the account has speech services, but none of the vendor. */
export const vendorHint = (
  use: Use,
  { credentials, account_sid }: { credentials: readonly ListedCredential[]; account_sid: string },
  vendor: string,
): string | undefined =>
  credentials.length === 0 || hasCredential(credentials, { use, vendor, account_sid })
    ? undefined
    : 'The account has no speech service of this vendor.'
