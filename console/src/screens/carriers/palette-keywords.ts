export const paletteKeywords = {
  '/internal/carriers': 'trunks sip trunks gateways providers registration smpp peers',
  '/internal/carriers/add': 'new trunk gateway peer',
  '/internal/carriers/add/guided': 'new trunk wizard setup step by step',
}
