export const paletteKeywords = {
  '/internal/recent-calls': 'cdrs history traces logs recordings pcap sip ladder',
}
