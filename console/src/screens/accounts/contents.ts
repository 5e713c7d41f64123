import type { AccountContents } from '@patchbay/contract/accounts'
import { formatCounts, nonZeroCounts } from '../../record/record-counts.ts'
import { capitalize, countText, formatCount } from '../../ui/format/text.ts'

/** An account has one subscription. Its further rows are the history of that subscription. */
const toCounts = (contents: AccountContents): AccountContents => ({
  ...contents,
  account_subscriptions: Math.min(1, contents.account_subscriptions),
})

/** Returns a text such as "3 users, 1 API key". Kinds without records are omitted. */
export const contentsText = (contents: AccountContents): string => formatCounts(toCounts(contents))

/** Returns the kinds of records with their number, such as "Users", "3", and "3 users". Kinds without records are omitted. */
export const contentsEntries = (contents: AccountContents) =>
  nonZeroCounts(toCounts(contents)).map(({ table, count, names }) => ({
    table,
    title: capitalize(names[1]),
    figure: formatCount(count),
    text: countText(count, count, names),
  }))

/** Returns true if the account has users. Its deletion then requires typing the account's name. */
export const isInUse = ({ users }: AccountContents): boolean => users > 0
