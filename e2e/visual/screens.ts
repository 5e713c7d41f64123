import type { Page } from '@playwright/test'
import { pages } from '../../console/src/app/pages.ts'
import type { Screen } from '../../console/src/routes/define-screen.ts'
import { ownRouting } from '../../console/src/routes/lcr.ts'
import { addUser } from '../../console/src/routes/users.ts'
import { type ColorTheme, settle } from './browser.ts'
import type { ScreenRecords } from './records.ts'

/** The states of every declared screen, which are compared with approved pictures. */

/** The sizes and themes of a picture. */
export interface Look {
  width: number
  theme: ColorTheme
}

/** The looks of every state. */
export const looks: readonly Look[] = (['light', 'dark'] as const).flatMap((theme) =>
  [1440, 1024, 390].map((width) => ({ width, theme })),
)

export interface ScreenState {
  /** The path without its parameters, and the state: `recent-calls/loading`. */
  name: string
  /** Opens the screen. `owner` is a user of a provider that has nothing yet. */
  as: 'visitor' | 'admin' | 'owner' | 'account-user'
  /** Opens the screen, and returns when it has this state. */
  show: (page: Page) => Promise<unknown>
}

const open = (path: string) => async (page: Page) => {
  await page.goto(path)
  await settle(page)
}

/** Opens a screen a second time: only then, the setup steps on it do not depend on the speed of the machine. */
const openAgain = (path: string) => async (page: Page) => {
  await open(path)(page)
  await open(path)(page)
}

/** Opens a screen without loading the frame again, after the server has changed what it answers. */
const openWithin = async (page: Page, path: string, before: (page: Page) => Promise<unknown>): Promise<void> => {
  // This form reads next to nothing that other screens read.
  await open(addUser.path)(page)
  await before(page)
  const title = await page.title()
  await page.evaluate((to) => {
    history.pushState({}, '', to)
    dispatchEvent(new PopStateEvent('popstate'))
  }, path)
  await page.waitForFunction((previous) => document.title !== previous, title)
  await page.getByRole('heading', { level: 1 }).waitFor()
}

const api = '**/api/v1/**'

/** Waits for the number of new alerts in the menu, which loads last, and stays while requests have no or a bad response. */
const waitForMenu = (page: Page) => page.getByRole('navigation').getByText('9+').waitFor()

/** Shows a screen whose requests have had no response for some seconds, and wait for one as long as the page is open. */
const showLoading = (path: string) => async (page: Page) => {
  await openWithin(page, path, async () => {
    await waitForMenu(page)
    await page.route(api, () => {})
    await page.evaluate(() => {
      AbortSignal.timeout = () => new AbortController().signal
    })
  })
  // Otherwise it would depend on the machine whether the screen says so yet.
  await page.clock.fastForward(10_000)
}

/** Shows a screen whose requests fail. */
const showFailed = (path: string) => async (page: Page) => {
  const json = { msg: 'The database cannot be reached' }
  await openWithin(page, path, async () => {
    await waitForMenu(page)
    await page.route(api, (route) => route.fulfill({ status: 503, json }))
  })
  await settle(page)
}

/** Shows where a user is redirected to who must not open the screen. */
const showDenied = (path: string) => async (page: Page) => {
  await openWithin(page, path, async () => undefined)
  await settle(page)
}

/** Returns `carriers/edit` for `/internal/carriers/$voip_carrier_sid/edit`, and `recent-calls/call` for a call. */
const toName = ({ path }: Screen): string => {
  const parts = path.split('/').filter((part) => part !== '' && part !== 'internal')
  const names = parts.flatMap((part, at) =>
    part.startsWith('$') ? (at === parts.length - 1 ? [part.replace(/^\$|_sid$/g, '')] : []) : [part],
  )
  return names.join('/') || 'sign-in'
}

const toPath = ({ path }: Screen, records: ScreenRecords): string =>
  path.replaceAll(/\$(\w+)/g, (_, name: string) => records[name] ?? name)

const toStates = (screen: Screen, records: ScreenRecords): ScreenState[] => {
  const { audience, minScope, requiresWrite } = screen
  const path = toPath(screen, records)
  const toState = (state: string, as: ScreenState['as'], show: ScreenState['show']): ScreenState => ({
    name: `${toName(screen)}/${state}`,
    as,
    show,
  })
  if (audience !== undefined) return [toState('full', 'visitor', open(path))]
  const states = [toState('full', 'admin', open(path))]
  if (!requiresWrite) {
    states.push(toState('loading', 'admin', showLoading(path)), toState('failed', 'admin', showFailed(path)))
    if (!screen.path.includes('$')) states.push(toState('empty', 'owner', openAgain(path)))
  }
  if (minScope !== undefined && minScope !== 'account') states.push(toState('denied', 'account-user', showDenied(path)))
  return states
}

/** Returns the states of all screens. Those that only redirect have none. */
export const getScreenStates = (records: ScreenRecords): readonly ScreenState[] =>
  pages
    .map(({ screen }) => screen)
    .filter(({ path, audience }) => path !== ownRouting.path && audience !== 'forced-change')
    .flatMap((screen) => toStates(screen, records))
