import type { SpeechChoice } from '@patchbay/contract/speech-credentials'
import { ownVoices } from '@patchbay/contract/speech/choices'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useRef } from 'react'
import type { OwnerSid } from '../../../api/record-queries.ts'
import { speechListsQuery } from '../../../api/speech-lists.ts'
import { useProviderSid } from '../../../session/current-provider.ts'
import { useDebouncedValue } from '../../../ui/use-debounced-value.ts'
import { useErrorToast } from '../../../feedback/use-error-toast.ts'
import { requiredSession } from '../../../session/session.ts'
import { customVoicesQuery } from './speech-queries.ts'

const none: readonly SpeechChoice[] = []

/** How long a choice must rest before its languages are asked for, in milliseconds (spec 0 §9). */
const restMs = 200

export const useAsking = (): OwnerSid => {
  const service_provider_sid = useProviderSid()
  const { account_sid } = requiredSession().actor
  return account_sid === null ? { service_provider_sid } : { account_sid }
}

/** Names the lists of a vendor and one of its credentials. */
export const speechListsKey = (vendor: string, label: string): string => JSON.stringify([vendor, label])

/** The lists of a vendor; undefined until they are there, as for one that has none to ask for. */
export const useSpeechLists = (vendor: string, label: string, hasLists: boolean) => {
  const asking = useAsking()
  const wanted = speechListsKey(vendor, label)
  const isRested = useDebouncedValue(wanted, restMs) === wanted
  const lists = useQuery({ ...speechListsQuery(asking, { vendor, label }), enabled: isRested && hasLists })
  useErrorToast(lists.error)
  return lists.data
}

/** The voices that are kept with a vendor's credentials, where there are such; undefined until they are there. */
export const useOwnVoices = (
  hasOwn: boolean,
  account_sid: string,
  label: string,
): readonly SpeechChoice[] | undefined => {
  const isAsked = hasOwn && account_sid !== ''
  const voices = useQuery({ ...customVoicesQuery({ account_sid }, label), enabled: isAsked })
  const data = useMemo(() => voices.data && ownVoices(voices.data), [voices.data])
  return isAsked && !voices.isError ? data : none
}

/**
 * Once the lists of what was chosen are there, what else is chosen with it follows, once. Answers how to say that it
 * was chosen, `of` being the vendor and label of which the lists are.
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
