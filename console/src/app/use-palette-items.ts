import type { Actor } from '@patchbay/contract/api/access'
import type { ServiceProvider } from '@patchbay/contract/service-providers'
import { isSid } from '@patchbay/contract/shared/sids'
import { useQueries } from '@tanstack/react-query'
import { Keyboard, LogOut, type LucideIcon, Monitor, Moon, Plus, RefreshCw, Search, Sun } from 'lucide-react'
import { useAction } from '../feedback/use-action.ts'
import { canOpen, type Screen } from '../routes/define-screen.ts'
import { phoneNumberList } from '../routes/phone-numbers.ts'
import { recentCalls } from '../routes/recent-calls.ts'
import type { FoundRecord } from '../routes/record-link.ts'
import { useProviderSid, useProviders } from '../session/current-provider.ts'
import { signOut } from '../session/keep-alive.ts'
import { requiredSession } from '../session/session.ts'
import { shortSid } from '../ui/format/sid.tsx'
import { menuTarget } from './menu-targets.ts'
import { pages, screens } from './pages.ts'
import { findPaletteIcon } from './palette-icon.ts'
import { isNumber, isOfCall, useLookup } from './palette-lookup.ts'
import { type Findable, findable, rankMatches } from './ranked-search.ts'
import { createRecordReader } from './record-reader.ts'
import { getKeywords } from './screen-keywords.ts'
import { chooseTheme, themes, useTheme } from './theme.ts'

/** The items of the command palette. */

interface Entry {
  /** The unique id of the item. */
  id: string
  label: string
  icon: LucideIcon
  /** The keyboard shortcut of the item. */
  keys?: readonly string[]
  sid?: string
}

/** An item is either a link, which can open in a new tab, or an action. */
export type Item = Entry & ({ link: FoundRecord['link'] } | { run: () => void })

export interface Group {
  title: string
  items: readonly Item[]
  /** The total number of items. */
  total: number
}

type Offer = Findable<Item>

const screenOffers = (actor: Actor, provider: ServiceProvider | undefined): Offer[] =>
  screens.flatMap((screen) => {
    const { menu, shortcut, title, path, inPalette } = screen
    if (inPalette && canOpen(screen, actor)) {
      const item = { id: path, label: title, icon: findPaletteIcon(screen), link: { to: path, params: {} } }
      return [findable(item, title, getKeywords(path))]
    }
    const link = menuTarget(screen, actor, provider)
    if (menu === undefined || link === undefined) return []
    const { label = title, icon } = menu
    const item = { id: path, label, icon, link, ...(shortcut ? { keys: ['g', shortcut] } : {}) }
    return [findable(item, label, [getKeywords(path), ...Object.values(link.params)].join(' '))]
  })

const changeOffers = (actor: Actor): Offer[] =>
  screens
    .filter((screen) => screen.requiresWrite && canOpen(screen, actor) && !actor.is_view_only)
    .map(({ path, title }) =>
      findable({ id: path, label: title, icon: Plus, link: { to: path, params: {} } }, title, getKeywords(path)),
    )

const themeIcons = { system: Monitor, light: Sun, dark: Moon } as const

const useConsoleActions = (onKeys: () => void): Item[] => {
  const theme = useTheme()
  // Refreshing changes nothing on the server. Displayed data is read again as after a change, so new rows show
  // immediately.
  const refresh = useAction({ run: async () => undefined, changes: [[]] })
  return [
    { id: 'refresh', label: 'Refresh', icon: RefreshCw, run: () => refresh.mutate(undefined) },
    ...themes
      .filter((other) => other !== theme)
      .map((other) => ({
        id: `theme-${other}`,
        label: `Theme: ${other}`,
        icon: themeIcons[other],
        run: () => chooseTheme(other),
      })),
    { id: 'keys', label: 'Keyboard shortcuts', icon: Keyboard, keys: ['?'], run: onKeys },
    { id: 'sign-out', label: 'Sign out', icon: LogOut, run: () => void signOut() },
  ]
}

const toPaletteItem = ({ label, sid, link }: FoundRecord, list: Screen): Item => ({
  id: `${list.path}/${sid}`,
  label,
  sid: shortSid(sid),
  icon: findPaletteIcon(list),
  link,
})

/** Offers to search for a number among the phone numbers, which are too many to load. */
const numberOffers = (query: string): Item[] =>
  isNumber(query)
    ? [
        {
          id: 'find-number',
          label: `Phone numbers with ${query}`,
          icon: Search,
          link: { to: phoneNumberList.path, params: {}, search: { filter: query } },
        },
      ]
    : []

/** Offers to search for a phone number, a SID, or a Call-ID among the calls of the last 30 days. */
const callOffers = (query: string, { scope }: Actor): Item[] =>
  isNumber(query) || isOfCall(query)
    ? [
        {
          id: 'find-calls',
          label: `Calls of the last 30 days with ${query}`,
          icon: Search,
          link: {
            to: recentCalls.path,
            params: {},
            search: {
              ...(scope === 'account' ? {} : { account: 'all' }),
              date: '30',
              filter: query,
            },
          },
        },
      ]
    : []

/** The records of each resource, which load when the user starts to type. */
const useRecords = (actor: Actor, isWanted: boolean) => {
  const service_provider_sid = useProviderSid()
  const withRecords = pages.flatMap(({ screen, records }) =>
    records && canOpen(screen, actor) ? [{ screen, records }] : [],
  )
  const answers = useQueries({
    queries: withRecords.map(({ screen, records }) => ({
      queryKey: ['palette', screen.path, service_provider_sid],
      queryFn: async () => {
        const module = await records()
        const reader = createRecordReader(service_provider_sid)
        const foundRecords = await module.findRecords(reader)
        const offers = foundRecords.map((record) =>
          findable(toPaletteItem(record, screen), record.label, `${record.sid} ${record.also ?? ''}`),
        )
        return { offers, findUnknown: (sid: string) => module.findUnknown?.(sid, reader) ?? [] }
      },
      enabled: isWanted,
      // The lists stay in the query cache, but this index only while the palette is open.
      gcTime: 0,
      staleTime: Number.POSITIVE_INFINITY,
      structuralSharing: false,
    })),
  })
  return withRecords.map(({ screen }, index) => ({ screen, answer: answers[index] }))
}

/** The number of search results per group. */
const maxResultsPerGroup = 8

export interface PaletteResults {
  groups: readonly Group[]
  /** The titles of groups that are still loading, and of groups that failed to load. */
  reading: readonly string[]
  failed: readonly string[]
}

/** Returns the items that match a text, in groups, with the best match first. */
export const usePaletteItems = (text: string, onKeys: () => void): PaletteResults => {
  const query = text.trim()
  const { actor } = requiredSession()
  const consoleActions = useConsoleActions(onKeys)
  const records = useRecords(actor, query !== '')
  const lookup = useLookup(query)
  const pageItems = screenOffers(actor, useProviders().current)
  const actions = [
    ...changeOffers(actor),
    ...consoleActions.map((act) => findable(act, act.label, getKeywords(act.id))),
  ]

  if (query === '') {
    const whole = (title: string, offers: readonly Offer[]) => ({
      title,
      items: offers.map(({ item }) => item),
      total: offers.length,
    })
    return { groups: [whole('Go to', pageItems), whole('Actions', actions)], reading: [], failed: [] }
  }

  const ofRecords = records.map(({ screen, answer }) => ({
    title: screen.title,
    ...rankMatches(query, answer?.data?.offers ?? [], maxResultsPerGroup),
  }))
  const matchingGroups = [
    { title: 'Go to', ...rankMatches(query, pageItems, maxResultsPerGroup) },
    ...ofRecords,
    { title: 'Actions', ...rankMatches(query, actions, maxResultsPerGroup) },
  ].filter(({ total }) => total > 0)
  // The SID of a record is not that of a call.
  const isRecordSid = isSid(query) && matchingGroups.length > 0
  const searches = [...numberOffers(query), ...(isRecordSid ? [] : callOffers(query, actor))]
  const opened = records.flatMap(({ screen, answer }) => {
    const unknown = matchingGroups.length === 0 && isSid(query) ? (answer?.data?.findUnknown?.(query) ?? []) : []
    return unknown.map((record) => ({ title: screen.title, items: [toPaletteItem(record, screen)], total: 1 }))
  })
  const titles = (is: 'isPending' | 'isError') =>
    records.filter(({ answer }) => answer?.[is]).map(({ screen }) => screen.title)
  const identified = [
    { list: phoneNumberList, record: lookup.number },
    { list: recentCalls, record: lookup.call },
  ].flatMap(({ list, record }) =>
    record ? [{ title: list.title, items: [toPaletteItem(record, list)], total: 1 }] : [],
  )
  return {
    groups: [
      ...identified,
      ...matchingGroups.toSorted((a, b) => b.best - a.best),
      ...opened,
      ...(searches.length > 0 ? [{ title: 'Search', items: searches, total: searches.length }] : []),
    ],
    reading: titles('isPending'),
    failed: titles('isError'),
  }
}
