/** A SIP user's registration as the SBC of jambonz writes it. Other members are passed on unchanged. */
export interface Registration {
  contact: string | null
  protocol: string | null
  /** Epoch milliseconds. */
  expiryTime: number
  sbcAddress?: unknown
  proxy?: unknown
  [member: string]: unknown
}

/** The registered SIP users. A realm must match completely: `a.com` does not include `b.a.com`. */
export interface Registrations {
  /** Returns the user names of a realm, without the realm, sorted. */
  listNames(realm: string): Promise<string[]>
  /** Returns the registration of each name, in the order of `names`. The entry of an unregistered user is undefined. */
  find(realm: string, names: readonly string[]): Promise<(Registration | undefined)[]>
}

/** Used without Redis: no SIP user is registered. */
export const noRegistrations: Registrations = {
  listNames: () => Promise.resolve([]),
  find: (_realm, names) => Promise.resolve(names.map(() => undefined)),
}
