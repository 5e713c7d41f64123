/**
 * The screens on which a card is entered, or a bank may ask its customer. Theirs alone are the documents that let Stripe's script in, so that server and
 * console have to agree on which they are (docs/decisions/0019).
 */
export const isPaymentScreen = (pathname: string): boolean =>
  /^\/internal\/accounts\/[^/]+\/(?:subscription|modify-subscription|manage-payment)\/?$/i.test(pathname)
