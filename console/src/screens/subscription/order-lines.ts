import type { BoughtProduct, PricedProduct } from '@patchbay/contract/billing'
import {
  type BilledCategory,
  toSubscriptionLines,
  findPrice,
  type SubscriptionLine,
  subscriptionLines,
  withCapacity,
} from '@patchbay/contract/plans/pricing'
import type { Me } from '@patchbay/contract/users'
import { useState } from 'react'

/** The lines of an order, each under its own key. */
export interface Lines {
  lines: readonly SubscriptionLine[]
  change(category: BilledCategory, capacity: number): void
  /** shows a line that was hidden */
  reveal(category: BilledCategory): void
  isChanged: boolean
  isInvalid: boolean
  /** what is ordered, or why nothing can be */
  products: readonly BoughtProduct[]
  blocked: string | undefined
}

export const getCapacity = (lines: readonly SubscriptionLine[], category: BilledCategory): number => {
  const { capacity = 0, visible = false } = lines.find((line) => line.category === category) ?? {}
  return visible && Number.isFinite(capacity) ? capacity : 0
}

/** `upToLeast`: what starts with less than can be bought starts with the least. */
export const useLines = (
  { subscription }: Me,
  offers: readonly PricedProduct[],
  { upToLeast = false }: { upToLeast?: boolean } = {},
): Lines => {
  const productOf = (category: BilledCategory) => offers.find((product) => product.category === category)
  const [first] = useState(() => {
    const bought = toSubscriptionLines(subscription?.products ?? [], offers)
    if (!upToLeast) return bought
    return bought.map((line) =>
      line.required && line.capacity < line.min
        ? { ...withCapacity(line, line.min, productOf(line.category)), dirty: false }
        : line,
    )
  })
  const [lines, setLines] = useState<readonly SubscriptionLine[]>(first)
  const put = (category: BilledCategory, make: (line: SubscriptionLine) => SubscriptionLine) =>
    setLines(lines.map((line) => (line.category === category ? make(line) : line)))

  const currentCapacity = (category: BilledCategory) => first.find((line) => line.category === category)?.capacity
  const shown = lines.filter(({ visible }) => visible)
  const unpriced = shown.find(({ category }) => findPrice(productOf(category)) === undefined)
  return {
    lines,
    change: (category, capacity) => put(category, (line) => withCapacity(line, capacity, productOf(category))),
    reveal: (category) =>
      put(category, (line) => withCapacity({ ...line, visible: true }, line.capacity, productOf(category))),
    isChanged: lines.some(({ category, capacity }) => capacity !== currentCapacity(category)),
    isInvalid: shown.some(({ invalid }) => invalid),
    products: shown.flatMap(({ category, capacity }) => {
      const product = productOf(category)
      const price = findPrice(product)
      // Nothing of what the account does not have is no order.
      if (!product || !price || (capacity === 0 && currentCapacity(category) === 0)) return []
      return [{ price_id: price.stripe_price_id, product_sid: product.product_sid, quantity: capacity }]
    }),
    blocked: unpriced && `${subscriptionLines[unpriced.category].service} have no price here, so none can be bought.`,
  }
}
