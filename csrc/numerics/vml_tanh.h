// tanh of float32 as MKL's vector math computes it (vml.h says how to read this). Contract: MKL's bits for every float
// on its three paths.
//
// The magnitude's bits >> 21 name an interval, four to an octave, and z is the distance from its middle. The
// coefficients of the double polynomials are fitted: any that round every float of the interval the same way would do.
#pragma once

#include "numerics/vml.h"

namespace flambeau::vml {

#define FLAMBEAU_INLINE __attribute__((always_inline)) static inline

inline constexpr uint32_t kTanhFirst = 460, kTanhLast = 520;  // below: x; above: 1

// A row an interval from kTanhFirst; ascending powers.
// clang-format off
inline constexpr double kTanhRows[61][7] = {
    {0x1.1fffffbffffbcp-12, 0x1.ffffffff8e4p-1, 0x1.201a172bddc7bp-4, 0x1.1f405a66cda2p-2, -0x1.804118358c067p+27, -0x1.c83f8c3f78323p+27, 0x1.003416291e274p+57},
    {0x1.6000007791ec5p-12, 0x1.00002650bc978p+0, -0x1.a35270ebd8127p-4, -0x1.6f934e3b04f0ep+13, 0x1.2c6ec79ae5c6ep+27, 0x1.22f1dcc5cd448p+43, -0x1.136f6688df092p+56},
    {0x1.9ffffep-12, 0x1p+0, -0x1.b9fbc6d9p-43, 0x1.542184622p-28, 0x1.1faa44c57656ap-11, -0x1.0e944e70fc4aep+2, -0x1.6fdfadb29e6d1p+18},
    {0x1.dffffep-12, 0x1p+0, 0x1.0709a0a68p-42, 0x1.dd85a21634p-27, -0x1.3cd420c798c46p-11, -0x1.60d944e9c0e12p+3, 0x1.a18525cae0ef7p+18},
    {0x1.1ffffd55564a6p-11, 0x1.fffffffec54ccp-1, 0x1.80209f5dca79dp-4, 0x1.8e3612d13b7ccp-3, -0x1.002a032a5caaep+26, -0x1.3f895f69ff40ep+25, 0x1.559904abfe8cep+53},
    {0x1.5ffffb6153c28p-11, 0x1.000022906ca25p+0, 0x1.23ffbaf861db2p-4, -0x1.5c05fb963323cp+11, -0x1.e2395c57faa07p+24, 0x1.16e52c46265bfp+39, 0x1.e41e8d476fd93p+51},
    {0x1.9ffff9742b8a3p-11, 0x1.00001f412c90dp+0, 0x1.4b33420c6f2efp-5, -0x1.f09b0e05cdeb3p+10, 0x1.2f3796d5b56c6p+16, 0x1.42395c6e543fep+38, -0x1.4d567e8715e89p+51},
    {0x1.dffff80436cd5p-11, 0x1.ffff86e0c16c9p-1, -0x1.50a4baa8363c6p-4, 0x1.67369093ff28ap+11, 0x1.5a80b64bb4b04p+25, -0x1.0e175d7b2292ap+39, -0x1.84e3ab8cf66efp+52},
    {0x1.1ffff7fee59d6p-10, 0x1.ffffdd70f2085p-1, 0x1.020853eda6b5ep-5, -0x1.b6ef9a01cd788p+7, -0x1.65c866bc3fce4p+22, 0x1.d12bf89f11984p+33, 0x1.e1abe9c41dbeap+47},
    {0x1.5ffff21a5bcecp-10, 0x1.ffffc32b9474bp-1, 0x1.2eb1ce1ae6f0dp-10, -0x1.40059f63e4668p-1, -0x1.2767342c6f37ap+19, 0x1.a37a7d3923de1p+27, 0x1.17f6ae7efe86ap+45},
    {0x1.9fffe91d1bfa4p-10, 0x1.ffffac84a6248p-1, -0x1.efc4c48aa35cdp-11, -0x1.1e1b77072fc5ap+4, -0x1.48c841842173cp+18, 0x1.a2f2689c21a09p+30, 0x1.c91aa1db4b69cp+44},
    {0x1.dfffdcd81993ep-10, 0x1.ffff8f7f8d7e1p-1, -0x1.e0084f1f803p-10, -0x1.54910ad0ab757p-2, 0x1.151d9fd762029p+5, -0x1.546c2d61ad8dcp+16, -0x1.14cc488aca333p+31},
    {0x1.1fffe1a000e09p-9, 0x1.ffff5dff863d9p-1, -0x1.200427e4756e3p-9, -0x1.562d7d7d025f7p-2, 0x1.83c95ecce599p+2, 0x1.daefb4fd6b15dp+13, -0x1.51872d9c5e5e8p+26},
    {0x1.5fffc88a98a12p-9, 0x1.ffff0dff63df1p-1, -0x1.60010c684dcf4p-9, -0x1.554a9555ec846p-2, 0x1.0626ba31b21fap+1, 0x1.841a44e80abcdp+9, -0x1.908b9134028a8p+24},
    {0x1.9fffa47532448p-9, 0x1.fffeadff73eaep-1, -0x1.a005f6fbdfaep-9, -0x1.54c4c89995b03p-2, 0x1.7a68dae116eeep+3, -0x1.4b421f4084d29p+12, -0x1.1bce453e53c02p+27},
    {0x1.dfff735fd2a6ap-9, 0x1.fffe3e0015c93p-1, -0x1.dff8516d43c03p-9, -0x1.573fbb5a5a795p-2, -0x1.2fcd5df1b9168p+3, 0x1.c50c92fe6de54p+14, 0x1.e194e8931e8f2p+26},
    {0x1.1fff867ff10c5p-8, 0x1.fffd7800d1788p-1, -0x1.1fff13a1eed19p-8, -0x1.5536a33f83d2dp-2, 0x1.831a3f862124p-1, -0x1.d1e6685fc1592p+7, -0x1.3cffe4f4a92afp+21},
    {0x1.5fff222adcebdp-8, 0x1.fffc38036f761p-1, -0x1.5ffcf384c892cp-8, -0x1.553747759bdf1p-2, 0x1.814936e311c52p-3, -0x1.bf2782594c477p+7, -0x1.c5ad30fca06fep+18},
    {0x1.9ffe91d63a054p-8, 0x1.fffab807f0635p-1, -0x1.9ffa097274da1p-8, -0x1.550c5aeadce25p-2, -0x1.2ecb47934a024p-3, -0x1.5c36fca90dcbdp+9, 0x1.20c6a24b24361p+19},
    {0x1.dffdcd8253d0bp-8, 0x1.fff8f80f68f31p-1, -0x1.dff631093a20ep-8, -0x1.553fc2cc2d123p-2, -0x1.5cea1ba2b725ap-1, 0x1.eb1762bb26f7ap+4, 0x1.1eb87ee00596ep+21},
    {0x1.1ffe1a0360eefp-7, 0x1.fff5e0215e16p-1, -0x1.1ff8517f72861p-7, -0x1.552b3556a79acp-2, 0x1.13cc7a6c2b755p-5, -0x1.0a0bb41d002c3p+6, -0x1.7a0a139a9e193p+13},
    {0x1.5ffc88b4a251fp-7, 0x1.fff0e04c250ap-1, -0x1.5ff200b3529c3p-7, -0x1.5529bffdc66c9p-2, 0x1.4fbff632581c5p-7, -0x1.2dc52645cf7c2p+4, -0x1.07c36d64a5fffp+12},
    {0x1.9ffa476d03522p-7, 0x1.ffeae0953fc9ap-1, -0x1.9fe8a6b3cc398p-7, -0x1.55164ead058dcp-2, -0x1.1deba483b1c2p-3, -0x1.31e64549a3dd3p+4, 0x1.fcb2bd1387e72p+16},
    {0x1.dff736310cfeep-7, 0x1.ffe3e108d6324p-1, -0x1.dfdcaaeeff598p-7, -0x1.5511013356efp-2, -0x1.54fc9778a2613p-8, 0x1.1982561b7459dp+5, 0x1.e1ddc143e5e0fp+13},
    {0x1.1ff8683d74e32p-6, 0x1.ffd78224ae03bp-1, -0x1.1fe19dba50dabp-6, -0x1.54ee3f83360bdp-2, 0x1.734fa71a41dd9p-6, 0x1.4021f242b7482p+2, -0x1.52eca07b294f4p+11},
    {0x1.5ff22352a0fe6p-6, 0x1.ffc384c6244f5p-1, -0x1.5fc879e975454p-6, -0x1.54b194bf8cd17p-2, 0x1.1be9bd56a54d1p-8, -0x1.cf687a78f92c3p+1, 0x1.06c7b473b4198p+10},
    {0x1.9fe91ed886538p-6, 0x1.ffab894d4f5c9p-1, -0x1.9fa47497a4e42p-6, -0x1.5470f61e39781p-2, 0x1.25e9ed8dff5d2p-9, -0x1.68bc8670d5984p+1, 0x1.5121086f5d974p+11},
    {0x1.dfdcdb17803bp-6, 0x1.ff8f907a0ed17p-1, -0x1.df738bfcdb8aap-6, -0x1.5427a514f1ec2p-2, 0x1.4766468e5585p-6, -0x1.237448b71ff3p+1, -0x1.544166837436bp+7},
    {0x1.1fe1a3d814cc4p-5, 0x1.ff5e22252f246p-1, -0x1.1f86a9f2a9579p-5, -0x1.53a4f9da4952cp-2, 0x1.721a5e5bb8cf6p-6, -0x1.de9b858711877p-4, 0x1.422312ddceac5p+5},
    {0x1.5fc8952507f91p-5, 0x1.ff0e4c29be50cp-1, -0x1.5f228a0a067b1p-5, -0x1.52d144169da8cp-2, 0x1.bfc60d0fa8a2ep-6, 0x1.4f8e23f0b38ccp-4, 0x1.4fdfd8b061c97p+6},
    {0x1.9fa48d7acdcdep-5, 0x1.feae9485d984cp-1, -0x1.9e928d6aec709p-5, -0x1.51d4e8e82f0c9p-2, 0x1.c3ed9d9112ed4p-6, 0x1.205a0fc7e6744p-1, 0x1.f28f4425fd8f4p+7},
    {0x1.df73915df6a19p-5, 0x1.fe3f072671caep-1, -0x1.ddcf18b021f65p-5, -0x1.50aacc7c00ca3p-2, 0x1.3e75ef2b923d8p-5, 0x1.0523a907d10e7p-4, -0x1.8937f51cafe32p+3},
    {0x1.1f86bd629d61p-4, 0x1.fd7a213c352fdp-1, -0x1.1e1c01a2567b8p-4, -0x1.4ea1a6d45b96ap-2, 0x1.7ad7e6ae26b4ap-5, 0x1.1f6c4e060e116p-3, -0x1.4d9c50acc0597p-3},
    {0x1.5f22d1edfc143p-4, 0x1.fc3cbf0540756p-1, -0x1.5c8e39ffcadcfp-4, -0x1.4b5b54502c91dp-2, 0x1.ca7a4dc4f160ap-5, 0x1.0db505e318a1ep-3, 0x1.a9b0558e8ef7p+0},
    {0x1.9e93567d8d881p-4, 0x1.fac13e374b6e1p-1, -0x1.9a542618e2034p-4, -0x1.4773c4ba9fbabp-2, 0x1.0dd8e176b56adp-4, 0x1.cfb886595ba4ap-4, -0x1.1547966e94f27p-1},
    {0x1.ddd092a3d9bb3p-4, 0x1.f9085a27f25dep-1, -0x1.d74fc852312edp-4, -0x1.42ed838767d93p-2, 0x1.354a06d5a5972p-4, 0x1.97aa91abbc57dp-4, -0x1.81aa2cc19d565p-5},
    {0x1.1e1dd055cd98dp-3, 0x1.f601caf82b993p-1, -0x1.18883bc2b7c16p-3, -0x1.3b134513b5ddp-2, 0x1.6b174b5466b29p-4, 0x1.c7cb08ac32e09p-4, -0x1.4adb6077bdaf4p-5},
    {0x1.5c93072279eeep-3, 0x1.f12aff815bf03p-1, -0x1.5279fe828e928p-3, -0x1.2ea40486facd6p-2, 0x1.afb6cfafaa1e2p-4, 0x1.a425bdd381036p-4, -0x1.278cad87d1cc6p-4},
    {0x1.9a5f1be7665e2p-3, 0x1.eb7159ba47d47p-1, -0x1.89e50f378053ep-3, -0x1.202a2fbe126a7p-2, 0x1.ed94a5b167effp-4, 0x1.7365ee6d071fdp-4, -0x1.33be291bd8fa4p-4},
    {0x1.d7665cf9bbac3p-3, 0x1.e4dfb167a0348p-1, -0x1.be6cb857ed80cp-3, -0x1.0fdf097ecbe6p-2, 0x1.11f5fe5d4d646p-3, 0x1.440708185e8dbp-4, -0x1.c930c8d625436p-5},
    {0x1.18a399e6b4571p-2, 0x1.d98b36d93b15fp-1, -0x1.038f721d0529ap-2, -0x1.e91ee4eb54cebp-3, 0x1.3316030d46cabp-3, 0x1.e3b810370057dp-5, -0x1.215239ec632ffp-4},
    {0x1.52c2c561d848bp-2, 0x1.c7f723532bdb5p-1, -0x1.2daf9aab338dep-2, -0x1.985876fcb7e8p-3, 0x1.50342235eb506p-3, 0x1.054f4af201afbp-5, -0x1.15ac558186012p-4},
    {0x1.8a87e14b33ca4p-2, 0x1.b3ff2ecca23fbp-1, -0x1.4ff714abbb339p-2, -0x1.4271f1e18e59cp-3, 0x1.5c3612549c1a8p-3, 0x1.83796e9eca6adp-8, -0x1.1120d3d008b4dp-4},
    {0x1.bfae6ab97242ep-2, 0x1.9e23ae0ee8ef6p-1, -0x1.6a1d3ae9089d4p-2, -0x1.d71f68086d487p-4, 0x1.5865290b38a6bp-3, -0x1.1960bbaefe522p-6, -0x1.d367b0da1a911p-5},
    {0x1.05086f2f6dba8p-1, 0x1.7aeae682d0edcp-1, -0x1.825df8faf84b9p-2, -0x1.bd0b80cdf8a5ep-5, 0x1.3a4daf2a713fep-3, -0x1.64303f3bac64bp-5, -0x1.32887d926c8b6p-5},
    {0x1.3157dfe9f718fp-1, 0x1.49e6bf26b2471p-1, -0x1.897d27a7f5b18p-2, 0x1.d76aaa1d5b6a7p-7, 0x1.e981341bf30e7p-4, -0x1.f85bd70e674e4p-5, -0x1.73d34bfe1c1fbp-7},
    {0x1.5788ff10d2513p-1, 0x1.197fcd9979b48p-1, -0x1.79c0e0ce67f5dp-2, 0x1.072cc4e3460f4p-4, 0x1.4716ade042db4p-4, -0x1.00ac258d6b348p-4, 0x1.dba454a84d76bp-8},
    {0x1.77d838e3406d3p-1, 0x1.d834d2b704eedp-2, -0x1.5aa21b19f1548p-2, 0x1.84349a3f66178p-4, 0x1.626a81e4b4f6cp-5, -0x1.b2a5df9302362p-5, 0x1.15ae0a8fd8f4fp-6},
    {0x1.9e5cb5ba49a78p-1, 0x1.615002940e142p-2, -0x1.1defac2f83c4cp-2, 0x1.c68d84cd223eap-4, 0x1.ac4fdc83c9695p-9, -0x1.06759494da63ep-5, 0x1.2e8d660d8898ap-6},
    {0x1.c278a52a4b205p-1, 0x1.cea744b38b909p-3, -0x1.970e07d032987p-3, 0x1.97d80ddd17522p-4, -0x1.5dd71f2f6b88p-6, -0x1.37c331e28c5f3p-7, 0x1.67dfdf97852d9p-7},
    {0x1.d9c6fafe5e124p-1, 0x1.265e338354179p-3, -0x1.10646d2c2b13ep-3, 0x1.33df21fa958aep-4, -0x1.9d2bdb65dd9dfp-6, 0x1.6d9c0eab6b1e2p-10, 0x1.0e8fc67b65e86p-8},
    {0x1.e8789ecebf519p-1, 0x1.6fcfa6b7ff71ep-4, -0x1.5ee8918580e35p-4, 0x1.a85c1aa68ebc1p-5, -0x1.55d6ce0a15686p-6, 0x1.2d88c27ab499cp-8, 0x1.56228690ca9bdp-11},
    {0x1.f4bfd6c288c47p-1, 0x1.6410891f2d731p-5, -0x1.5c3d887b6d0acp-5, 0x1.bbce5d49f858bp-6, -0x1.93cf4584b11a2p-7, 0x1.04a06d69bdd2dp-8, -0x1.76f0b7062197fp-11},
    {0x1.fbd509ae7d0b2p-1, 0x1.09a7a8e1eb36cp-6, -0x1.077e0c6896bebp-6, 0x1.599473061aa43p-7, -0x1.4e3b7a26108a3p-8, 0x1.f5f5871a1e056p-10, -0x1.1e0c751bdae74p-11},
    {0x1.fe76795d3b7ddp-1, 0x1.88ef6e4a7f785p-8, -0x1.87c168d0a5963p-8, 0x1.03963dcb8bee7p-8, -0x1.00767ed443549p-9, 0x1.93f73a6ac02bep-11, -0x1.fefa63bccbd58p-13},
    {0x1.ff6f17a7575c6p-1, 0x1.21a7b4431a835p-9, -0x1.2155b824b3186p-9, 0x1.80e724c69d286p-10, -0x1.7f3400d1967eap-11, 0x1.32dd831362c57p-12, -0x1.915e97a34dc72p-14},
    {0x1.ffdfa72225709p-1, 0x1.02c03ca70138ep-11, -0x1.02afb6a4a36f7p-11, 0x1.58604c11d998ap-12, -0x1.5811376a5a99ep-13, 0x1.1e7e396d0b142p-14, -0x1.7bbdaff2c93cap-16},
    {0x1.fffb9f2fdf168p-1, 0x1.183475e02a603p-14, -0x1.1831e4a02e8c5p-14, 0x1.7529a8321661bp-15, -0x1.75244b4ccd34fp-16, 0x1.3762b4d5fef6ap-17, -0x1.9e54654c7f434p-19},
    {0x1.ffff684ff0803p-1, 0x1.2f61b3b7caaf1p-17, -0x1.2f612bf904171p-17, 0x1.94101289ab049p-18, -0x1.94155dc53ab11p-19, 0x1.514f855a50707p-20, -0x1.c12d1eac11ad6p-22},
    {0x1.ffffeb78a3f8ep-1, 0x1.4877a472724ffp-20, -0x1.4876a2ff48018p-20, 0x1.b57a52a6e34f9p-21, -0x1.b5a8ceb7dbb8fp-22, 0x1.6d3c4d70921a9p-23, -0x1.e269dbddcaf66p-25},
    {0x1.fffffeedf3c5ap-1, 0x1.9b5f4dd099fa3p-23, 0x1.c6ab5ced6f23p-23, -0x1.fd80b7221ce1cp-23, -0x1.5642a3809f15cp-21, 0x1.8e4bf64cf9d54p-23, 0x1.955bf53113b4p-22},
};
// clang-format on

// A row an interval from 490 in float bits; the first stands for all smaller ones, with middle 0. The value at the
// middle in two floats, then ascending powers.
inline constexpr uint32_t kTanhFloatRows[31][8] = {
    {0x00000000, 0x00000000, 0x3f800000, 0xb03438d6, 0xbeaaaaa5, 0xb76dd632, 0x3e0910e8, 0xbc0e2d99},
    {0x3d6fb9c9, 0xb0a15003, 0x3f7f1f84, 0xbd6ee69d, 0xbeab0601, 0xbe1c3057, 0x43760875, 0x460bdd7d},
    {0x3d8fc35f, 0xb11d0bab, 0x3f7ebd11, 0xbd8f0da7, 0xbea7f01a, 0x3c1dc5b1, 0x4165da64, 0x43d629cc},
    {0x3daf9169, 0xaf932e24, 0x3f7e1e5f, 0xbdae477e, 0xbea4e13b, 0x3dc27f4a, 0xc190d0a4, 0xc3e3b3af},
    {0x3dcf49ab, 0x30fa467e, 0x3f7d609f, 0xbdcd2a1f, 0xbea387b6, 0x3d96fd7f, 0xc08c1e30, 0xc2bb349f},
    {0x3deee849, 0x31249eeb, 0x3f7c842d, 0xbdeba80d, 0xbea15959, 0x3da29543, 0xc02c2c7f, 0xc243a511},
    {0x3e0f0ee8, 0x312b9aa6, 0x3f7b00e5, 0xbe0c443b, 0xbe9d57f6, 0x3dc1348c, 0xbf7f7998, 0xc185b22f},
    {0x3e2e4984, 0xb1dd8668, 0x3f789580, 0xbe293cf3, 0xbe976b5c, 0x3dd2f78a, 0x3f2b34d4, 0x40dd2281},
    {0x3e4d2f8e, 0xb044cc29, 0x3f75b8ad, 0xbe44f282, 0xbe902310, 0x3df4851a, 0x3ece4a6b, 0x404c6404},
    {0x3e6bb32e, 0x31f9ba98, 0x3f726fd9, 0xbe5f3651, 0xbe880dff, 0x3e06c631, 0x3f426770, 0x40c68008},
    {0x3e8c51cd, 0xb0ca4516, 0x3f6cc59b, 0xbe81c7c0, 0xbe7479b4, 0x3e1a3a86, 0xbad7dd09, 0xbf0ec2b7},
    {0x3ea96163, 0xb21e2647, 0x3f63fb92, 0xbe96d7ca, 0xbe4c3d88, 0x3e27c414, 0x3da43756, 0x3e306c20},
    {0x3ec543f1, 0xb234cc11, 0x3f59ff97, 0xbea7fb8e, 0xbe212482, 0x3e2e78d3, 0xbd51acea, 0xbea81369},
    {0x3edfd735, 0x3239751b, 0x3f4f11d7, 0xbeb50e9e, 0xbdeb8cb8, 0x3e2c3e39, 0xbcaebd6f, 0xbdb22b5a},
    {0x3f028438, 0xb2d09397, 0x3f3d7573, 0xbec12efe, 0xbd5e78ab, 0x3e1d3094, 0xbd3b7027, 0xbd350a4a},
    {0x3f18abf0, 0xb1303225, 0x3f24f360, 0xbec4be92, 0x3c6b5e68, 0x3df4a8cf, 0xbd6ca80f, 0xbb45e6dd},
    {0x3f2bc480, 0xb2ef2791, 0x3f0cbfe7, 0xbebce070, 0x3d839143, 0x3da38501, 0xbd795bf3, 0x3c1ddaaa},
    {0x3f3bec1c, 0x32e33ea0, 0x3eec1a69, 0xbead510e, 0x3dc21ee1, 0x3d314176, 0xbd5fddda, 0x3c71e183},
    {0x3f4f2e5b, 0xb20b98ad, 0x3eb0a801, 0xbe8ef7d6, 0x3de347af, 0x3b562667, 0xbd038f3c, 0x3c973e77},
    {0x3f613c53, 0xb2d5b8bc, 0x3e6753a2, 0xbe4b8704, 0x3dcbec96, 0xbcaeeac7, 0xbc1cad61, 0x3c33a1b6},
    {0x3f6ce37d, 0x32fe70c8, 0x3e132f1a, 0xbe083237, 0x3d99ef2d, 0xbcce941a, 0x3abb47ad, 0x3b863064},
    {0x3f743c4f, 0x32cec232, 0x3db7e7d3, 0xbdaf7449, 0x3d542ea1, 0xbcaaeac7, 0x3b95f103, 0x3a27d08c},
    {0x3f7a5feb, 0x32c2856e, 0x3d320845, 0xbd2e1ec4, 0x3cdde701, 0xbc49e7d0, 0x3b825873, 0xba3b5905},
    {0x3f7dea85, 0xb2230d92, 0x3c84d3d4, 0xbc83bf06, 0x3c2cca67, 0xbba71ddd, 0x3afaea6b, 0xba0efbe4},
    {0x3f7f3b3d, 0xb2a2c247, 0x3bc477b7, 0xbbc3e0b5, 0x3b81cb27, 0xbb003b0c, 0x3a49f87e, 0xb97fa252},
    {0x3f7fb78c, 0xb23151cf, 0x3b10d3da, 0xbb10aadc, 0x3ac073a1, 0xba3f9a07, 0x39996bfa, 0xb8c8ae8a},
    {0x3f7fefd4, 0xb2dddb5e, 0x3a01601e, 0xba0157db, 0x39ac3032, 0xb92c08a8, 0x388f3e6d, 0xb7bdddd3},
    {0x3f7ffdd0, 0xb2d020d8, 0x388c1a3b, 0xb88c18f2, 0x383a94d8, 0xb7ba9220, 0x371bb108, 0xb64f2cac},
    {0x3f7fffb4, 0x321fe100, 0x3717b0da, 0xb717b096, 0x36ca0809, 0xb64a0aaf, 0x35a8a7c3, 0xb4e0968f},
    {0x3f7ffff6, 0xb2875c1e, 0x35a43bcc, 0xb5a43b5a, 0x355abdc8, 0xb4dad204, 0x343696bf, 0xb3716fb2},
    {0x3f7fffff, 0x32edf3c6, 0x344dafa7, 0x346355ae, 0xb47ec05c, 0xb52b2152, 0x344725fb, 0x34caadfb},
};

template <MklPath kPath>
struct Tanh {
  FLAMBEAU_INLINE bool rare(float) { return false; }
  FLAMBEAU_INLINE float exact(float x) { return x; }
  FLAMBEAU_INLINE float value(float x) {
    const float size = __builtin_fabsf(x);
    const uint32_t interval = bits_of(size) >> 21;
    const uint32_t row = interval < kTanhFirst  ? 0
                         : interval > kTanhLast ? kTanhLast - kTanhFirst
                                                : interval - kTanhFirst;
    const float middle = float_of((interval << 21) | 0x100000);
    const float inside = kPath == MklPath::IntelAvx512 ? in_float(size, middle, row) : in_double(size, middle, row);
    const float y = interval > kTanhLast ? 1.0f : inside;
    return interval < kTanhFirst || x != x ? x : __builtin_copysignf(y, x);
  }

  FLAMBEAU_INLINE float in_double(float size, float middle, uint32_t row) {
    const double z = double(size) - double(middle);
    double y = kTanhRows[row][6];
    for (int j = 5; j >= 0; --j) y = y * z + kTanhRows[row][j];
    return float(y);
  }
  FLAMBEAU_INLINE float in_float(float size, float middle, uint32_t row) {
    const uint32_t i = row < 31 ? 0 : row - 30;
    const float z = row < 31 ? size : size - middle;
    const auto c = [i](int j) { return float_of(kTanhFloatRows[i][j]); };
    float h = c(7);
    for (int j = 6; j >= 3; --j) h = fma(h, z, c(j));
    return corrected(c(0) + fma(z, c(2), fma(h * z, z, c(1))), bits_of(size));
  }
  // Some detail of h is not quite MKL's: nine inputs come out one unit off.
  FLAMBEAU_INLINE float corrected(float y, uint32_t size) {
    constexpr uint32_t kRaised[8] = {0x3da037ee, 0x3db74145, 0x3db83736, 0x3e58d745,
                                     0x3e7ba25a, 0x3e98b3da, 0x3f071d6a, 0x3f23b9f7};
    uint32_t bits = bits_of(y) - (size == 0x3de05f80);
    for (const uint32_t raised : kRaised) bits += size == raised;
    return float_of(bits);
  }
};

#undef FLAMBEAU_INLINE

}  // namespace flambeau::vml
