import { throwApiError } from '@patchbay/contract/api/errors'
import type { BoughtProduct, PricedProduct } from '@patchbay/contract/billing'
import type { BilledCategory } from '@patchbay/contract/billing/record'
import { highestPricedCapacity } from '@patchbay/rules/plans/pricing'
import type { BilledSubscription, Billing, ItemChange } from '../adapters/billing/billing.ts'
import type { Database } from '../database/engine.ts'
import { type Quantities, readProducts } from './subscription-rows.ts'

/** The products that an account can buy (docs/reference/platform-api/hosted-mode.md#prices). */

interface PriceListDependencies {
  database: Pick<Database, 'db'>
  billing: Billing
}

export const findOffers = async (
  { database, billing }: PriceListDependencies,
  account_sid: string | null,
): Promise<PricedProduct[]> => {
  const products = await readProducts(database.db)
  const ownOffers = await database.db
    .selectFrom('account_offers')
    .select('stripe_product_id')
    .where('account_sid', '=', account_sid ?? '')
    .execute()
  const specialOffers =
    ownOffers.length > 0 ? await billing.offers(ownOffers.map(({ stripe_product_id }) => stripe_product_id)) : []
  const remainingProducts = products.filter(
    ({ category }) => !specialOffers.some((offer) => offer.category === category),
  )
  const generalOffers = remainingProducts.length > 0 ? await billing.offers() : []
  return [
    ...specialOffers,
    ...generalOffers.filter(({ category }) => remainingProducts.some((one) => one.category === category)),
  ].flatMap((offer) => {
    const product = products.find(({ category }) => category === offer.category)
    return product ? [{ ...product, ...offer }] : []
  })
}

/**
 * Validates that each product is offered at the given price, occurs once, and has a quantity that the price covers.
 * Returns the quantities by category.
 */
export const checkProducts = async (
  dependencies: PriceListDependencies,
  account_sid: string,
  products: readonly BoughtProduct[],
): Promise<Quantities> => {
  const offers = await findOffers(dependencies, account_sid)
  const quantities = { voice_call_session: 0, device: 0 }
  const seen = new Set<string>()
  for (const { price_id, product_sid, quantity } of products) {
    const offer = offers.find((one) => one.product_sid === product_sid)
    const price = offer?.prices.find(({ stripe_price_id }) => stripe_price_id === price_id)
    if (!offer || !price || seen.has(product_sid)) return throwApiError('bad_request')
    const max = highestPricedCapacity(price)
    if (quantity > max) throwApiError('invalid', { msg: `quantity must be at most ${max}`, field: 'products' })
    seen.add(product_sid)
    quantities[offer.category] = quantity
  }
  return quantities
}

/** Returns the item changes that turn the current subscription into the requested one. */
export const toLineChanges = (
  current: BilledSubscription,
  products: readonly BoughtProduct[],
  categoriesBySid: ReadonlyMap<string, BilledCategory>,
) =>
  products.flatMap(({ price_id, product_sid, quantity }): ItemChange[] => {
    const item = current.items.find(
      (one) =>
        one.product_sid === product_sid || (one.category !== null && one.category === categoriesBySid.get(product_sid)),
    )
    if (item === undefined) return quantity > 0 ? [{ price_id, product_sid, quantity }] : []
    if (item.quantity === quantity && item.price_id === price_id) return []
    return [{ id: item.id, price_id, product_sid, quantity }]
  })
