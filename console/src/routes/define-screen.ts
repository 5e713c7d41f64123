import { type Actor, isAtLeast, type Scope } from '@patchbay/contract/api/access'
import type { ServiceProvider } from '@patchbay/contract/service-providers'
import type { LucideIcon } from 'lucide-react'
import { config } from '../api/configuration.ts'

/**
 * A screen is declared once, as plain data: path, title, access, menu entry, and search parameters. The router, the
 * guards, the navigation, the command palette, breadcrumbs, links, and the browser tests all read the declaration. Its
 * code is in `app/pages.ts`, so that a link to a screen imports no page.
 */

type ParamNames<Path extends string> = Path extends `${string}$${infer Name}/${infer Rest}`
  ? Name | ParamNames<Rest>
  : Path extends `${string}$${infer Name}`
    ? Name
    : never

/** The parameters of a path: `account_sid` for `/accounts/$account_sid/edit`. */
export type ScreenParams<Path extends string> = Record<ParamNames<Path>, string>

/** The groups of the menu, in their order. */
export const menuGroups = ['Overview', 'Calls', 'Conversations', 'BYO Services', 'Manage'] as const

export interface MenuEntry<Path extends string = string> {
  group: (typeof menuGroups)[number]
  icon: LucideIcon
  /** Defaults to the screen's title. */
  label?: string
  /** Returns the path parameters of the link for this user, or undefined to hide the entry. */
  params?(actor: Actor, provider: ServiceProvider | undefined): ScreenParams<Path> | undefined
  /** A path: the entry is marked as the current page on all screens below it. For entries that only redirect. */
  activeFor?: string
  /** The label of a tab. Screens with tabs share one entry, which has the name of their group and opens the first. */
  tab?: string
}

export interface Screen<Path extends string = string, Search extends object = object> {
  path: Path
  /** Heading and document title, unless the page shows the name of a record. */
  title: string
  /**
   * The users who can open the screen. `visitor`: signed-out users only. `forced-change`: users who must choose a new
   * password. `anyone`: signed in or not. Absent: signed-in users.
   */
  audience?: 'visitor' | 'forced-change' | 'anyone'
  /** A switch of the server's configuration. Without it the screen is not found. */
  featureFlag?: string
  /** Absent: all scopes. */
  minScope?: Scope
  /** The notice for users without access. The specification fixes some of these texts (ROLES-14 to ROLES-22). */
  deniedMessage?: string
  /** The screen that users without access are sent to. Defaults to the start screen. */
  redirectTo?: string
  /** An extension of the platform API that the screen needs. Without it the menu and the router leave the screen out. */
  serverExtension?: string
  /** Account users can open the screen of their own `account_sid` only. */
  ownAccount?: true
  /** The screen above this one in the breadcrumb. */
  parent?: Screen
  /** Parses the search parameters of the URL. Parameters that it does not return are removed from the URL. */
  search?: (params: Readonly<Record<string, unknown>>) => Search
  /** Returns the search parameters for a visit without any. */
  defaultSearch?: () => Search
  menu?: MenuEntry<Path>
  /** The command palette offers the screen although it is not in the menu. */
  inPalette?: true
  /** The letter that opens the screen after `g`. Unique among the screens in one user's menu. */
  shortcut?: string
  /** The screen creates or imports something: the command palette offers it as an action, except to view-only users. */
  requiresWrite?: true
  /** Users start here if the screen is in their menu. The first such screen wins. */
  isHome?: true
}

/** Declares a screen and preserves the literal type of its path. */
export const defineScreen = <const Path extends string, Search extends object = Readonly<Record<string, never>>>(
  declared: Screen<Path, Search>,
): Screen<Path, Search> => declared

/** Returns whether the scope of a user allows the screen, and the server supports it. */
export const canOpen = ({ minScope = 'account', serverExtension }: Screen, { scope }: Actor): boolean =>
  isAtLeast(scope, minScope) && (serverExtension === undefined || config().extensions.has(serverExtension))

/** Parses the search parameters of a URL and sets all others to undefined, which makes the router drop them. */
export const parseScreenSearch = <Search extends object>(
  { search }: Pick<Screen<string, Search>, 'search'>,
  params: Readonly<Record<string, unknown>>,
): Search => {
  const none = Object.fromEntries(Object.keys(params).map((name) => [name, undefined]))
  return { ...none, ...search?.(params) } as Search
}
