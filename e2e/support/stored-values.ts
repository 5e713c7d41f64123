import type { Page } from '@playwright/test'

/** Values that the console stores in the browser for the user who is signed in, by the storage that contains them. */
const ofUser = {
  localStorage: [
    'token',
    'activeServiceProvider',
    'accountFilter',
    'queryFilter',
    'location',
    'root-domain',
    'oauth-state',
    'location-before-oauth',
  ],
  sessionStorage: ['SESS_OAUTH_PROOF', 'SESS_FLASH_MSG', 'SESS_USER_SID', 'SESS_OLD_PASSWORD'],
} as const

/** Fills every value except the token, as a long session would. */
export const fillStorage = (page: Page): Promise<void> =>
  page.evaluate((keys) => {
    for (const storage of ['localStorage', 'sessionStorage'] as const)
      for (const key of keys[storage]) if (key !== 'token') window[storage].setItem(key, 'of the user')
  }, ofUser)

/** Returns the names of the values that are still stored. */
export const listStored = (page: Page): Promise<string[]> =>
  page.evaluate(
    (keys) =>
      (['localStorage', 'sessionStorage'] as const).flatMap((storage) =>
        keys[storage].filter((key) => window[storage].getItem(key) !== null),
      ),
    ofUser,
  )
