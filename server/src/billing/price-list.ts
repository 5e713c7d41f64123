import type { BoughtProduct, PricedProduct } from '@patchbay/contract/billing'
import { throwApiError } from '@patchbay/contract/errors'
import type { BilledCategory } from '@patchbay/contract/plans/pricing'
import type { Database } from '../database/engine.ts'
import type { BilledSubscription, Billing, ItemChange } from '../adapters/billing/billing.ts'
import { type Quantities, readProducts } from './subscription-rows.ts'

/** What an account can buy (api/4-calls-and-hosted.md §5.7). */

interface Surroundings {
  database: Pick<Database, 'db'>
  billing: Billing
}

export const findOffers = async (
  { database, billing }: Surroundings,
  account_sid: string | null,
): Promise<PricedProduct[]> => {
  const sold = await readProducts(database.db)
  const own = await database.db
    .selectFrom('account_offers')
    .select('stripe_product_id')
    .where('account_sid', '=', account_sid ?? '')
    .execute()
  const offered = own.length > 0 ? await billing.offers(own.map(({ stripe_product_id }) => stripe_product_id)) : []
  const missingSchema = sold.filter(({ category }) => !offered.some((offer) => offer.category === category))
  const general = missingSchema.length > 0 ? await billing.offers() : []
  return [
    ...offered,
    ...general.filter(({ category }) => missingSchema.some((one) => one.category === category)),
  ].flatMap((offer) => {
    const product = sold.find(({ category }) => category === offer.category)
    return product ? [{ ...product, ...offer }] : []
  })
}

/** Only what is offered, for its own price, and each thing once. */
export const checkProducts = async (
  around: Surroundings,
  account_sid: string,
  products: readonly BoughtProduct[],
): Promise<Quantities> => {
  const offers = await findOffers(around, account_sid)
  const wanted = { voice_call_session: 0, device: 0 }
  const seen = new Set<string>()
  for (const { price_id, product_sid, quantity } of products) {
    const offer = offers.find((one) => one.product_sid === product_sid)
    const isOffered = offer?.prices.some(({ stripe_price_id }) => stripe_price_id === price_id)
    if (!offer || !isOffered || seen.has(product_sid)) return throwApiError('bad_request')
    seen.add(product_sid)
    wanted[offer.category] = quantity
  }
  return wanted
}

/** The current one with what a change makes of it. */
export const toLineChanges = (
  current: BilledSubscription,
  products: readonly BoughtProduct[],
  bySid: ReadonlyMap<string, BilledCategory>,
) =>
  products.flatMap(({ price_id, product_sid, quantity }): ItemChange[] => {
    const item = current.items.find(
      (one) => one.product_sid === product_sid || (one.category !== null && one.category === bySid.get(product_sid)),
    )
    if (item === undefined) return quantity > 0 ? [{ price_id, product_sid, quantity }] : []
    if (item.quantity === quantity && item.price_id === price_id) return []
    return [{ id: item.id, price_id, product_sid, quantity }]
  })
