import { validateSubdomain } from '@patchbay/rules/identity/subdomains'
import { useEffect, useState } from 'react'
import { errorMessage } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import { useDebouncedValue } from '../../ui/use-debounced-value.ts'

/** The state of a subdomain that the user types. Only `free` can be claimed. */
export type Availability =
  | { is: 'empty' | 'checking' | 'free' | 'taken' | 'own' }
  | { is: 'wrong'; fault: string }
  | { is: 'unknown'; why: string }

const restMs = 500

interface Answer {
  name: string
  availability: Availability
}

/**
 * Returns whether a subdomain is available. Asks the server 500 ms after the last keystroke, and ignores responses for
 * earlier names.
 * @param own current name of the account, which is not checked
 */
export const useAvailability = (name: string, rootDomain: string, own?: string): Availability => {
  const rested = useDebouncedValue(name, restMs)
  const [answer, setAnswer] = useState<Answer>()
  const fault = validateSubdomain(name)
  const isCheckNeeded = rested !== '' && rested !== own && validateSubdomain(rested) === undefined

  useEffect(() => {
    if (!isCheckNeeded) return undefined
    const leaving = new AbortController()
    const ask = async () => {
      const query = { type: 'subdomain', value: `${rested}.${rootDomain}` }
      const { available } = await api('GET /Availability', { query }, { signal: leaving.signal, unasked: true })
      setAnswer({ name: rested, availability: { is: available ? 'free' : 'taken' } })
    }
    ask().catch((error: unknown) => {
      if (!leaving.signal.aborted)
        setAnswer({ name: rested, availability: { is: 'unknown', why: errorMessage(error) } })
    })
    return () => leaving.abort()
  }, [rested, isCheckNeeded, rootDomain])

  if (name === '') return { is: 'empty' }
  if (name === own) return { is: 'own' }
  if (fault !== undefined) return { is: 'wrong', fault }
  return answer?.name === name ? answer.availability : { is: 'checking' }
}
