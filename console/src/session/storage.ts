/** Access to the storage of the browser. All values are texts with fixed keys. */

interface Slot {
  read(): string | null
  write(value: string): void
  clear(): void
}

const slot = (storage: () => Storage, key: string): Slot => ({
  // A browser can forbid access to its storage. Then nothing is stored, and the console works without it.
  read: () => {
    try {
      return storage().getItem(key)
    } catch {
      return null
    }
  },
  write: (value) => {
    try {
      storage().setItem(key, value)
    } catch {}
  },
  clear: () => {
    try {
      storage().removeItem(key)
    } catch {}
  },
})

const local = (key: string) => slot(() => window.localStorage, key)
const session = (key: string) => slot(() => window.sessionStorage, key)

export const tokenKey = 'token'

export const stored = {
  token: local(tokenKey),
  activeServiceProvider: local('activeServiceProvider'),
  accountFilter: local('accountFilter'),
  queryFilter: local('queryFilter'),
  location: local('location'),
  theme: local('theme'),
  preferences: local('preferences'),
  /** The menu: `icons` if it shows no names, and the titles of its closed groups. */
  menuLook: local('menuLook'),
  closedMenuGroups: local('closedMenuGroups'),
  listColumns: local('listColumns'),
  alertsLastViewed: local('alertsLastViewed'),
  /** The open setup steps of the last account or provider whose start screen was shown. */
  openSetup: local('openSetup'),
  /** Hosted installations only: the parent domain of the accounts' realms, and the state of a pending sign-in. */
  rootDomain: local('root-domain'),
  oauthState: local('oauth-state'),
  locationBeforeOauth: local('location-before-oauth'),
  oauthProof: session('SESS_OAUTH_PROOF'),
  /** The last bulk change of each kind of record, until its outcome is closed. */
  bulkChanges: session('bulkChanges'),
  flash: session('SESS_FLASH_MSG'),
  userSid: session('SESS_USER_SID'),
  oldPassword: session('SESS_OLD_PASSWORD'),
} as const

/** Display preferences are kept when the session ends. */
const keptOnSignOut = new Set([
  'theme',
  'preferences',
  'menuLook',
  'closedMenuGroups',
  'listColumns',
  'alertsLastViewed',
])

/** Removes the values that belong to the user who was signed in. */
export const clearStored = (): void => {
  for (const [name, storageSlot] of Object.entries(stored)) if (!keptOnSignOut.has(name)) storageSlot.clear()
}
