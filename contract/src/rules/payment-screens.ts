/**
 * The screens on which a card is entered. Theirs alone are the documents that let Stripe's script in, so that server and
 * console have to agree on which they are (docs/decisions/0019).
 */
export const isPaymentScreen = (pathname: string): boolean =>
  /^\/internal\/accounts\/[^/]+\/(?:subscription|manage-payment)\/?$/i.test(pathname)
