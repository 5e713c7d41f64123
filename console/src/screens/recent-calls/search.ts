import { defaultPageSize, pageSizes } from '@patchbay/contract/rules/paging'
import { stored } from '../../session/storage.ts'

/** The filters of recent calls, as the URL holds them. What is at its default is left out. */

export const dates = ['today', 'yesterday', '7', '14', '30'] as const
export type CallDate = (typeof dates)[number]

export interface CallSearch {
  account?: string
  date?: CallDate
  direction?: 'inbound' | 'outbound'
  answered?: 'true' | 'false'
  filter?: string
  page?: number
  size?: number
}

const oneOf = <T extends string>(values: readonly T[], value: unknown): T | undefined =>
  values.find((known) => known === String(value))

const text = (value: unknown): string | undefined => {
  const given = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  return given === '' ? undefined : given
}

export const parseCallSearch = (search: Record<string, unknown>): CallSearch => {
  const page = Number(search['page'])
  const size = pageSizes.find((known) => known === Number(search['size']))
  const found: CallSearch = {
    account: text(search['account']),
    date: oneOf(dates, search['date']),
    direction: oneOf(['inbound', 'outbound'], search['direction']),
    answered: oneOf(['true', 'false'], search['answered']),
    filter: text(search['filter']),
    page: Number.isInteger(page) && page > 1 ? page : undefined,
    size: size === defaultPageSize ? undefined : size,
  }
  // Members that say nothing stay out of the address.
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined))
}

/** What a visit without filters starts with: the last date, direction and status (api/4-calls-and-hosted.md §6.1). */
export const rememberedSearch = (): CallSearch => {
  const [date, direction, answered] = (stored.queryFilter.read() ?? '').split('/')
  return parseCallSearch({ date, direction, answered })
}

export const rememberSearch = ({ date, direction, answered }: CallSearch): void =>
  stored.queryFilter.write([date ?? 'today', direction ?? 'io', answered ?? 'all'].join('/'))

/** Our server looks for the text as it is; the platform's takes it for a regular expression between slashes. */
export const filterSent = (filter: string, isPlain: boolean): string =>
  isPlain ? filter : filter.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')

const midnight = (daysAgo: number, now: Date): Date =>
  new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysAgo)

/** The period of a date choice as the API takes it: local days as UTC instants, or a rolling window. */
export const periodOf = (date: CallDate, now = new Date()): { start?: string; end?: string; days?: string } => {
  if (date === 'today') return { start: midnight(0, now).toISOString() }
  if (date !== 'yesterday') return { days: date }
  const end = new Date(midnight(0, now).getTime() - 1)
  return { start: midnight(1, now).toISOString(), end: end.toISOString() }
}
