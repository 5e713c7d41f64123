import { isAtLeast, type Actor, type Scope } from '@patchbay/contract/access'
import type { ServiceProvider } from '@patchbay/contract/service-providers'
import type { LucideIcon } from 'lucide-react'
import type { ComponentType } from 'react'
import { config } from '../api/configuration.ts'

/**
 * A screen says in its own folder, once, all that the rest of the console makes of it: route, guard, chunk, menu, crumb,
 * what is fetched ahead, and the tour of the browser tests. A declaration is data and runs anywhere, Node included.
 */

type ParamNames<Path extends string> = Path extends `${string}$${infer Name}/${infer Rest}`
  ? Name | ParamNames<Rest>
  : Path extends `${string}$${infer Name}`
    ? Name
    : never

/** The parameters of a path: of `/accounts/$account_sid/edit` an `account_sid`. */
export type ScreenParams<Path extends string> = Record<ParamNames<Path>, string>

/** The code of a screen, a chunk of its own. */
export interface ScreenModule<Path extends string = string, Search extends object = object> {
  Screen: ComponentType
  /** reads ahead what the screen shows first, while its code and the frame are still on the way */
  read?(at: { params: ScreenParams<Path>; search: Search }): Promise<unknown>
}

export interface MenuEntry<Path extends string = string> {
  group: 'general' | 'byo'
  icon: LucideIcon
  /** the screen's title without it */
  label?: string
  /** where the entry leads the one who is signed in, who may open the screen; undefined: it is not there */
  params?(actor: Actor, provider: ServiceProvider | undefined): ScreenParams<Path> | undefined
  /** what stands beside it, fetched when the page rests */
  badge?: () => Promise<ComponentType>
  /** the path of the screens that it stands for, where it only leads to them */
  covers?: string
}

/** A record as the palette offers it. */
export interface FoundRecord {
  label: string
  sid: string
  link: { to: string; params: Readonly<Record<string, string>> }
}

/** The records of a resource, for the palette: a chunk of its own. */
export interface RecordsModule {
  /** all of a service provider */
  read(service_provider_sid: string): Promise<readonly FoundRecord[]>
  /** where a sid leads that is of none of them, and may yet be one that the server opens */
  unknown?(sid: string): FoundRecord
}

export interface Screen<Path extends string = string, Search extends object = object> {
  path: Path
  /** heading and document title, where no record gives its name */
  title: string
  load: () => Promise<ScreenModule<Path, Search>>
  /** `visitor`: only signed out; `forced-change`: only before the first password of one's own; `anyone`; else signed in */
  stage?: 'visitor' | 'forced-change' | 'anyone'
  /** it is there only where this is switched on */
  onlyWith?: string
  /** the least scope that may open it */
  minScope?: Scope
  /** what those are told who may not; the contract of texts names some (console facts B.5) */
  refusal?: string
  /** where those are led; where work starts without it */
  refusedTo?: string
  /** of our server, beyond the wire: where a server lacks it the screen is not there */
  extension?: string
  /** an account user opens it for the own `account_sid` alone */
  ownAccount?: true
  /** the screen above it, for the crumb */
  under?: Screen
  /** reads the address's search; what it leaves out is no part of the address */
  search?: (given: Readonly<Record<string, unknown>>) => Search
  /** the search that a visit without any starts with */
  remembered?: () => Search
  menu?: MenuEntry<Path>
  /** the letter that after `g` leads where the menu does; no two that somebody may open share one */
  key?: string
  /** what a list leads to, found by name or sid by those who may open it */
  records?: () => Promise<RecordsModule>
  /** it is there to change something: an action of the palette, of no use to those who may only look */
  changes?: true
  /** work starts here for those to whom the menu shows it */
  start?: true
  /** pieces that the screen fetches late, and that may be fetched ahead */
  pieces?: readonly (() => Promise<unknown>)[]
}

export const defineScreen = <const Path extends string, Search extends object = Readonly<Record<string, never>>>(
  declared: Screen<Path, Search>,
): Screen<Path, Search> => declared

export const canOpen = ({ minScope = 'account', extension }: Screen, { scope }: Actor): boolean =>
  isAtLeast(scope, minScope) && (extension === undefined || config().extensions.has(extension))

/** The search of an address as a screen reads it, every other member taken out of it. */
export const parseScreenSearch = <Search extends object>(
  { search }: Pick<Screen<string, Search>, 'search'>,
  given: Readonly<Record<string, unknown>>,
): Search => {
  // The router keeps what is not said to be undefined.
  const none = Object.fromEntries(Object.keys(given).map((name) => [name, undefined]))
  return { ...none, ...search?.(given) } as Search
}
