import type { RegistrationReport } from '@patchbay/rules/routing/registration'

type StoredReport = Partial<RegistrationReport & Record<'cseq' | 'callId', unknown>>

/**
 * Parses the `register_status` of a carrier, JSON text that the platform's registration process stores
 * (docs/reference/platform-api/carriers.md#registration-status). Returns no members if the text is invalid.
 */
export const parseRegisterStatus = (stored: string | null): StoredReport => {
  try {
    return Object(JSON.parse(stored ?? '{}'))
  } catch {
    return {}
  }
}
