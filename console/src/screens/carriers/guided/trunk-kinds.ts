/** The kinds of trunks that the guided setup offers. */

export const trunkKinds = ['ip', 'auth', 'registration'] as const
export type TrunkKind = (typeof trunkKinds)[number]

export const isTrunkKind = (text: string | undefined): text is TrunkKind => trunkKinds.some((kind) => kind === text)

export const trunkTitles: Readonly<Record<TrunkKind, string>> = {
  ip: 'IP trunk',
  auth: 'Authenticated trunk',
  registration: 'Registration trunk',
}

/** Returns the kind of a stored carrier. */
export const getTrunkKind = (carrier: {
  requires_register: boolean | number
  register_username: string | null
}): TrunkKind => {
  if (carrier.requires_register) return 'registration'
  return carrier.register_username ? 'auth' : 'ip'
}
