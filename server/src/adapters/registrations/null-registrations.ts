import type { Registrations } from './registrations.ts'

/** Without the platform's Redis there is no registrar that we could ask: nobody is registered. */
export const noRegistrations: Registrations = {
  namesOf: () => Promise.resolve([]),
  find: (_realm, names) => Promise.resolve(names.map(() => undefined)),
}
