import type { Registrations } from './registrations.ts'

/** Used without Redis: no SIP user is registered. */
export const noRegistrations: Registrations = {
  listNames: () => Promise.resolve([]),
  find: (_realm, names) => Promise.resolve(names.map(() => undefined)),
}
