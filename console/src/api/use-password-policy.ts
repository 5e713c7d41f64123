import { defaultPasswordPolicy, type PasswordPolicy } from '@patchbay/contract/identity/passwords'
import { useEffect, useState } from 'react'
import { api } from './client.ts'

/** The policy in force, asked when the page opens; until it is known, and where it cannot be had, the default. */
export const usePasswordPolicy = (): PasswordPolicy => {
  const [policy, setPolicy] = useState<PasswordPolicy>(defaultPasswordPolicy)
  useEffect(() => {
    const controller = new AbortController()
    api('GET /PasswordSettings', {}, { signal: controller.signal, background: true }).then(setPolicy, () => {})
    return () => controller.abort()
  }, [])
  return policy
}
