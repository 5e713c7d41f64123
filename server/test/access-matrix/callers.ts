/** The kinds of callers, and groups of them. Users and keys have the names of the world's users and keys. */

export const signedOut = ['nobody', 'a bad token', 'an expired token'] as const
export const usersOfA = ['user of A', 'another user of A'] as const
const usersOfOthers = ['user of A2', 'user of B'] as const
const providerUsers = ['user of P', 'user of Q'] as const
export const viewOnly = ['view-only user of A', 'view-only user of P', 'view-only admin'] as const
export const mustChange = [
  'user of A who must change the password',
  'user of P who must change the password',
  'admin who must change the password',
] as const
export const keys = ['key of A', 'key of A2', 'key of B', 'key of P', 'key of Q', 'admin key'] as const

export const callers = [
  ...signedOut,
  ...usersOfA,
  ...usersOfOthers,
  ...providerUsers,
  'admin',
  ...viewOnly,
  ...mustChange,
  ...keys,
] as const
export type CallerName = (typeof callers)[number]

export const includes = (group: readonly string[], name: string): boolean => group.includes(name)

export const admins: readonly CallerName[] = [
  'admin',
  'view-only admin',
  'admin who must change the password',
  'admin key',
]
export const ofP: readonly CallerName[] = [
  'user of P',
  'view-only user of P',
  'user of P who must change the password',
  'key of P',
]
export const ofQ: readonly CallerName[] = ['user of Q', 'key of Q']
export const ofA: readonly CallerName[] = [
  ...usersOfA,
  'view-only user of A',
  'user of A who must change the password',
  'key of A',
]
export const ofA2: readonly CallerName[] = ['user of A2', 'key of A2']
export const ofB: readonly CallerName[] = ['user of B', 'key of B']

export const everyone: readonly CallerName[] = callers.filter((name) => !includes(signedOut, name))
export const providersAndAdmins = [...admins, ...ofP, ...ofQ]
/** Users of account A, of its provider, and admins. */
export const overA = [...admins, ...ofP, ...ofA]
export const overP = [...admins, ...ofP]
/** Callers of provider P, including all of its accounts. */
export const membersOfP = [...overP, ...ofA, ...ofA2]
