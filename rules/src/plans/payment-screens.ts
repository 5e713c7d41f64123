/**
 * Returns whether the screen at this path collects card data or shows a bank's confirmation. Only the documents of
 * these screens allow Stripe's script, so the server and the console must agree on the list
 * (docs/decisions/0019-load-payment-screens-as-separate-documents.md).
 */
export const isPaymentScreen = (pathname: string): boolean =>
  /^\/internal\/accounts\/[^/]+\/(?:subscription|modify-subscription|manage-payment)\/?$/i.test(pathname)
