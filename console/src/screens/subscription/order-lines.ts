import type { BoughtProduct, PricedProduct } from '@patchbay/contract/billing'
import type { BilledCategory } from '@patchbay/contract/billing/record'
import type { Me } from '@patchbay/contract/users'
import {
  findPrice,
  type SubscriptionLine,
  subscriptionLines,
  toSubscriptionLines,
  withCapacity,
} from '@patchbay/rules/plans/pricing'
import { useState } from 'react'

/** State of an order form, with one line for each product category. */
export interface Lines {
  lines: readonly SubscriptionLine[]
  change(category: BilledCategory, capacity: number): void
  /** Makes a hidden line visible. */
  reveal(category: BilledCategory): void
  isChanged: boolean
  isInvalid: boolean
  /** The ordered products, or the reason why the order is blocked. */
  products: readonly BoughtProduct[]
  blocked: string | undefined
}

export const getCapacity = (lines: readonly SubscriptionLine[], category: BilledCategory): number => {
  const { capacity = 0, visible = false } = lines.find((line) => line.category === category) ?? {}
  return visible && Number.isFinite(capacity) ? capacity : 0
}

/** Manages the lines of an order. With `raiseToMinimum`, required lines start with at least the minimum capacity. */
export const useLines = (
  { subscription }: Me,
  offers: readonly PricedProduct[],
  { raiseToMinimum = false }: { raiseToMinimum?: boolean } = {},
): Lines => {
  const findProduct = (category: BilledCategory) => offers.find((product) => product.category === category)
  const [initialLines] = useState(() => {
    const bought = toSubscriptionLines(subscription?.products ?? [], offers)
    if (!raiseToMinimum) return bought
    return bought.map((line) =>
      line.required && line.capacity < line.min
        ? { ...withCapacity(line, line.min, findProduct(line.category)), dirty: false }
        : line,
    )
  })
  const [lines, setLines] = useState<readonly SubscriptionLine[]>(initialLines)
  const updateLine = (category: BilledCategory, update: (line: SubscriptionLine) => SubscriptionLine) =>
    setLines(lines.map((line) => (line.category === category ? update(line) : line)))

  const currentCapacity = (category: BilledCategory) =>
    initialLines.find((line) => line.category === category)?.capacity
  const visibleLines = lines.filter(({ visible }) => visible)
  const unpriced = visibleLines.find(({ category }) => findPrice(findProduct(category)) === undefined)
  return {
    lines,
    change: (category, capacity) => updateLine(category, (line) => withCapacity(line, capacity, findProduct(category))),
    reveal: (category) =>
      updateLine(category, (line) => withCapacity({ ...line, visible: true }, line.capacity, findProduct(category))),
    isChanged: lines.some(({ category, capacity }) => capacity !== currentCapacity(category)),
    isInvalid: visibleLines.some(({ invalid }) => invalid),
    products: visibleLines.flatMap(({ category, capacity }) => {
      const product = findProduct(category)
      const price = findPrice(product)
      // A line that has no capacity and had none before is not part of the order.
      if (!product || !price || (capacity === 0 && currentCapacity(category) === 0)) return []
      return [{ price_id: price.stripe_price_id, product_sid: product.product_sid, quantity: capacity }]
    }),
    blocked: unpriced && `${subscriptionLines[unpriced.category].service} have no price and can’t be bought.`,
  }
}
