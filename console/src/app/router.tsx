import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import { searchSelect } from '../screens/search-select.ts'
import { parseCallSearch, rememberedSearch } from '../screens/recent-calls/search.ts'
import { SignIn } from '../screens/sign-in/sign-in.tsx'
import { currentSession, forgetForcedChange } from '../session/session.ts'
import { stored } from '../session/storage.ts'
import { ToastRegion } from '../ui/toast.tsx'
import type { Load } from './ahead.ts'
import { NotFound, NotFoundInside, UnexpectedError } from './error-pages.tsx'
import { requireOwnAccount, requireScope, requireSession, startPage } from './guards.ts'
import { paths } from './paths.ts'
import { toaster } from './toaster.ts'

/** The table of screens. Every internal screen is a chunk of its own, with what it reads before it shows. */

const createPasswordScreen = () => import('../screens/create-password/create-password.tsx')
const frame = () => import('./internal.ts')
const accountListScreen = () => import('../screens/accounts/list.tsx')
const addAccountScreen = () => import('../screens/accounts/add.tsx')
const editAccountScreen = () => import('../screens/accounts/edit.tsx')
const recentCallsScreen = () => import('../screens/recent-calls/list.tsx')

/** What may be opened next: where work starts, and once signed in, everything. */
export const nextScreens = (): readonly Load[] =>
  currentSession() === undefined
    ? [frame, accountListScreen, recentCallsScreen]
    : [frame, accountListScreen, recentCallsScreen, editAccountScreen, addAccountScreen, searchSelect]

const root = createRootRoute({
  component: () => (
    <>
      <Outlet />
      <ToastRegion toaster={toaster} />
    </>
  ),
  errorComponent: UnexpectedError,
  notFoundComponent: NotFound,
})

/** Only addresses of the console itself are gone back to after signing in. */
const safeNext = (next: unknown): string | undefined =>
  typeof next === 'string' && /^\/internal\/[^\\]*$/.test(next) ? next : undefined

const signIn = createRoute({
  getParentRoute: () => root,
  path: paths.signIn,
  component: SignIn,
  validateSearch: (search: Record<string, unknown>): { next?: string; again?: 'yes' } => {
    // Said to be undefined, since a member that is left out keeps what the address says.
    return { next: safeNext(search['next']), again: search['again'] === 'yes' ? 'yes' : undefined }
  },
  beforeLoad: ({ search }) => {
    // Who is signed in may sign in again before the session ends.
    if (currentSession() === undefined || search.again) return
    if (stored.oldPassword.read() !== null) throw redirect({ to: paths.createPassword })
    throw redirect(startPage())
  },
})

const createPassword = createRoute({
  getParentRoute: () => root,
  path: paths.createPassword,
  component: lazyRouteComponent(createPasswordScreen, 'CreatePassword'),
  beforeLoad: ({ location }) => {
    if (currentSession() === undefined) return requireSession(location.href)
    // Without the old password there is nothing that could be changed here.
    if (stored.oldPassword.read() === null) throw redirect(startPage())
  },
  onLeave: forgetForcedChange,
})

const internal = createRoute({
  getParentRoute: () => root,
  path: '/internal',
  component: lazyRouteComponent(frame, 'Frame'),
  notFoundComponent: NotFoundInside,
  beforeLoad: ({ location }) => requireSession(location.href),
  loader: async () => (await frame()).loadInternal(),
  staleTime: Number.POSITIVE_INFINITY,
})

const internalStart = createRoute({
  getParentRoute: () => internal,
  path: '/',
  beforeLoad: () => {
    throw redirect(startPage())
  },
})

const accounts = createRoute({
  getParentRoute: () => internal,
  path: 'accounts',
  component: lazyRouteComponent(accountListScreen, 'AccountList'),
  loader: async ({ cause }) => {
    if (cause !== 'stay') await (await accountListScreen()).readAccountList()
  },
  validateSearch: (search: Record<string, unknown>): { filter?: string } => {
    const { filter } = search
    return typeof filter === 'string' && filter !== ''
      ? { filter }
      : typeof filter === 'number'
        ? { filter: String(filter) }
        : {}
  },
  beforeLoad: () => requireScope('service_provider', 'You do not have permissions to manage all accounts'),
})

const addAccount = createRoute({
  getParentRoute: () => internal,
  path: 'accounts/add',
  component: lazyRouteComponent(addAccountScreen, 'AddAccount'),
  beforeLoad: () => requireScope('service_provider'),
})

const editAccount = createRoute({
  getParentRoute: () => internal,
  path: 'accounts/$account_sid/edit',
  component: lazyRouteComponent(editAccountScreen, 'EditAccount'),
  loader: async ({ cause, params }) => {
    if (cause === 'enter') await (await editAccountScreen()).readAccount(params.account_sid)
  },
  beforeLoad: ({ params }) => requireOwnAccount(params.account_sid),
})

const recentCalls = createRoute({
  getParentRoute: () => internal,
  path: 'recent-calls',
  component: lazyRouteComponent(recentCallsScreen, 'RecentCalls'),
  loader: async ({ cause, location }) => {
    if (cause !== 'stay') await (await recentCallsScreen()).readRecentCalls(parseCallSearch({ ...location.search }))
  },
  validateSearch: parseCallSearch,
  beforeLoad: ({ search }) => {
    const remembered = rememberedSearch()
    if (Object.keys(search).length > 0 || Object.keys(remembered).length === 0) return
    if (remembered.date === 'today' && Object.keys(remembered).length === 1) return
    throw redirect({ to: paths.recentCalls, search: remembered, replace: true })
  },
})

const routeTree = root.addChildren([
  signIn,
  createPassword,
  internal.addChildren([internalStart, accounts, addAccount, editAccount, recentCalls]),
])

/** Plain names and values, as people write and send them; each screen reads its own. */
const parseSearch = (text: string): Record<string, unknown> => Object.fromEntries(new URLSearchParams(text))
const stringifySearch = (search: Record<string, unknown>): string => {
  const said = Object.entries(search).filter(([, value]) => value !== undefined && value !== '')
  const text = new URLSearchParams(said.map(([name, value]) => [name, String(value)])).toString()
  return text === '' ? '' : `?${text}`
}

export const router = createRouter({
  routeTree,
  parseSearch,
  stringifySearch,
  // Pointing at a link fetches its code, and the data of the lists in the menu, which their own cache alone keeps. What
  // one of many rows leads to is read on entering.
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0,
  defaultGcTime: 0,
  defaultErrorComponent: UnexpectedError,
  defaultNotFoundComponent: NotFound,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
