import { randomUUID } from 'node:crypto'
import { inTransaction, insertIgnoringDuplicates } from '../database/engine.ts'
import type { DemoCarriers } from './carriers.ts'
import { createRandom, type Random } from './seeded-random.ts'
import type { DemoContext } from './demo-context.ts'

/** An account, and the application that answers its numbers. */
export interface DemoAnswerer {
  account_sid: string
  application_sid: string | null
}

/** So many in one transaction: nobody waits long for the database. */
const batchSize = 5000

const carrierNames = ['Atlantic SIP', 'Bluewave', 'Cobalt Carrier', 'Former Telecom']

/** Seven in ten are answered, two belong to an account that has not routed them yet, one belongs to nobody. */
const answererOf = (dice: Random, answerers: readonly DemoAnswerer[]) => {
  const chance = dice.roll()
  if (answerers.length === 0 || chance >= 0.9) return { account_sid: null, application_sid: null }
  const answerer = dice.pick(answerers)
  return chance < 0.7 ? answerer : { ...answerer, application_sid: null }
}

/** Phone numbers of the provider's carriers, written past the audit trail, which would take longer than they. */
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
      ...answererOf(dice, answerers),
    }))
    await inTransaction(database, (trx) => insertIgnoringDuplicates(trx, database.engine, 'phone_numbers', rows))
    progress('numbers', start + rows.length, count)
  }
}
