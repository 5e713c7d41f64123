import { defaultPasswordPolicy, type PasswordPolicy } from '@patchbay/rules/identity/passwords'
import { useEffect, useState } from 'react'
import { api } from './client.ts'

/** Returns the password policy. Returns the default policy until it is loaded, and if it cannot be loaded. */
export const usePasswordPolicy = (): PasswordPolicy => {
  const [policy, setPolicy] = useState<PasswordPolicy>(defaultPasswordPolicy)
  useEffect(() => {
    const controller = new AbortController()
    api('GET /PasswordSettings', {}, { signal: controller.signal, background: true }).then(setPolicy, () => {})
    return () => controller.abort()
  }, [])
  return policy
}
