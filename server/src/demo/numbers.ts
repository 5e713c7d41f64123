import { randomUUID } from 'node:crypto'
import { insertIgnoringDuplicates, inTransaction } from '../database/engine.ts'
import type { DemoCarriers } from './carriers.ts'
import type { DemoContext } from './demo-context.ts'
import { createRandom, type Random } from './seeded-random.ts'

/** An account and the application that handles calls to its numbers. */
export interface DemoAnswerer {
  account_sid: string
  application_sid: string | null
}

/** Rows per transaction, so that other transactions do not wait long. */
const batchSize = 5000

const carrierNames = ['Atlantic SIP', 'Bluewave', 'Cobalt Carrier', 'Former Telecom']

/** Assigns a number: 70 % have an application, 20 % belong to an account without one, and 10 % belong to no account. */
const pickAnswerer = (dice: Random, answerers: readonly DemoAnswerer[]) => {
  const chance = dice.roll()
  if (answerers.length === 0 || chance >= 0.9) return { account_sid: null, application_sid: null }
  const answerer = dice.pick(answerers)
  return chance < 0.7 ? answerer : { ...answerer, application_sid: null }
}

/**
 * Creates the phone numbers of the provider's carriers. They bypass the audit trail, which would take longer than the
 * numbers themselves.
 */
export const fillNumbers = async (
  { services: { database }, progress }: DemoContext,
  answerers: readonly DemoAnswerer[],
  carriers: DemoCarriers,
  count: number,
): Promise<void> => {
  const dice = createRandom(count)
  const sids = carrierNames.flatMap((name) => carriers.get(name) ?? [])
  for (let start = 0; start < count; start += batchSize) {
    const rows = Array.from({ length: Math.min(batchSize, count - start) }, (_, position) => ({
      phone_number_sid: randomUUID(),
      number: `1617${2_000_000 + start + position}`,
      voip_carrier_sid: dice.pick(sids),
      ...pickAnswerer(dice, answerers),
    }))
    await inTransaction(database, (trx) => insertIgnoringDuplicates(trx, database.engine, 'phone_numbers', rows))
    progress('numbers', start + rows.length, count)
  }
}
