import { validateSubdomain } from '@patchbay/contract/identity/subdomains'
import { useEffect, useState } from 'react'
import { api } from '../../api/client.ts'
import { errorMessage } from '../../api/api-error.ts'
import { useDebouncedValue } from '../../ui/use-debounced-value.ts'

/** What is known of a name that is typed; only `free` can be taken. */
export type Availability =
  | { is: 'empty' | 'checking' | 'free' | 'taken' | 'own' }
  | { is: 'wrong'; fault: string }
  | { is: 'unknown'; why: string }

const restMs = 500

interface Answer {
  name: string
  found: Availability
}

/** Asked half a second after the last key; what was asked before counts no longer. `own`: the name that one has. */
export const useAvailability = (name: string, rootDomain: string, own?: string): Availability => {
  const rested = useDebouncedValue(name, restMs)
  const [answer, setAnswer] = useState<Answer>()
  const fault = validateSubdomain(name)
  const isAsked = rested !== '' && rested !== own && validateSubdomain(rested) === undefined

  useEffect(() => {
    if (!isAsked) return undefined
    const leaving = new AbortController()
    const ask = async () => {
      const query = { type: 'subdomain', value: `${rested}.${rootDomain}` }
      const { available } = await api('GET /Availability', { query }, { signal: leaving.signal, unasked: true })
      setAnswer({ name: rested, found: { is: available ? 'free' : 'taken' } })
    }
    ask().catch((error: unknown) => {
      if (!leaving.signal.aborted) setAnswer({ name: rested, found: { is: 'unknown', why: errorMessage(error) } })
    })
    return () => leaving.abort()
  }, [rested, isAsked, rootDomain])

  if (name === '') return { is: 'empty' }
  if (name === own) return { is: 'own' }
  if (fault !== undefined) return { is: 'wrong', fault }
  return answer?.name === name ? answer.found : { is: 'checking' }
}
