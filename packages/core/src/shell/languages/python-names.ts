const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Builtins that compute or print, as functions and as values. `type` makes no class with methods that reach out of Python's sandboxed values. */
export const BUILTINS = words(`
  True False None print len range sorted sum min max abs round int float complex str bytes bytearray bool list dict set tuple
  frozenset enumerate zip map filter any all ord chr hex bin oct repr ascii reversed divmod pow isinstance issubclass callable
  type format hash id iter next slice exit quit NotImplemented Ellipsis __name__
  Exception BaseException ValueError KeyError IndexError TypeError ZeroDivisionError StopIteration RuntimeError AttributeError
  OSError IOError FileNotFoundError PermissionError UnicodeDecodeError UnicodeEncodeError UnicodeError AssertionError SystemExit
  KeyboardInterrupt NotImplementedError ArithmeticError OverflowError LookupError ImportError ModuleNotFoundError NameError
  BrokenPipeError EOFError RecursionError SyntaxError`);

/** Builtins that run code or reach anything: never to be assigned either, because a name not bound when it runs falls back to them. */
export const DANGEROUS = words(`
  exec eval compile __import__ open input getattr setattr delattr hasattr globals locals vars dir help breakpoint object property
  classmethod staticmethod super memoryview license copyright credits execfile file reload raw_input apply coerce intern buffer`);

/** Attributes that are harmless on every value that code of this subset can get hold of. */
export const ATTRIBUTES = words(`
  join split rsplit strip lstrip rstrip replace lower upper title capitalize casefold swapcase startswith endswith find rfind
  rindex index count encode decode zfill ljust rjust center splitlines partition rpartition expandtabs removeprefix removesuffix
  translate maketrans isdigit isalpha isalnum isdecimal isnumeric isspace isupper islower istitle isidentifier isprintable isascii
  append extend insert pop remove sort reverse keys values items get update setdefault add discard union intersection difference
  symmetric_difference issubset issuperset isdisjoint copy clear fromkeys popitem has_key iteritems iterkeys itervalues
  bit_length bit_count to_bytes from_bytes real imag conjugate is_integer as_integer_ratio hex fromhex numerator denominator
  group groups groupdict start end span string pattern match search fullmatch findall finditer sub subn
  now utcnow today fromisoformat fromtimestamp utcfromtimestamp strptime strftime isoformat isocalendar isoweekday weekday timestamp
  combine date time year month day hour minute second microsecond tzinfo utc total_seconds days seconds microseconds
  timetuple toordinal fromordinal astimezone utcoffset tm_year tm_mon tm_mday tm_hour tm_min tm_sec
  most_common elements subtract total appendleft popleft extendleft rotate move_to_end
  read readline readlines write writelines flush close isatty buffer getvalue fileno encoding
  major minor micro releaselevel serial cache_tag name args
  hexdigest digest digest_size writerow writerows writeheader fieldnames quantize sqrt
  scheme netloc path query fragment hostname port params geturl
  is_private num_addresses network_address broadcast_address netmask prefixlen hosts version
  from_iterable __name__ __doc__ msg lineno colno pos int bytes fields node`);

/** Modules and what of them may be used; every listed function only computes, prints, or reads standard input. */
export const MODULES: Readonly<Record<string, ReadonlySet<string>>> = {
  sys: words(
    `argv version version_info hexversion platform executable prefix base_prefix exec_prefix maxsize maxunicode byteorder stdin stdout
    stderr exit getsizeof getdefaultencoding getfilesystemencoding getrecursionlimit implementation float_info int_info flags api_version`,
  ),
  os: words("getcwd getpid getppid cpu_count sep linesep pathsep name curdir pardir extsep devnull path environ getenv"),
  "os.path": words(
    "join basename dirname splitext split normpath normcase abspath expanduser relpath isabs commonpath commonprefix sep " +
      "exists lexists isfile isdir islink getsize getmtime",
  ),
  json: words("load loads dump dumps JSONDecodeError"),
  math: words(
    `pi e tau inf nan sqrt isqrt cbrt pow exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh
    atanh hypot dist degrees radians ceil floor trunc fabs fmod modf frexp ldexp gcd lcm comb perm factorial fsum prod isclose isfinite
    isinf isnan copysign gamma lgamma erf erfc remainder nextafter ulp sumprod`,
  ),
  re: words(
    `findall match search fullmatch sub subn split compile escape finditer I IGNORECASE M MULTILINE S DOTALL X VERBOSE A ASCII U UNICODE
    error`,
  ),
  datetime: words("datetime date time timedelta timezone tzinfo UTC MINYEAR MAXYEAR"),
  collections: words("Counter defaultdict OrderedDict deque ChainMap"),
  itertools: words(
    `accumulate batched chain combinations combinations_with_replacement compress count cycle dropwhile filterfalse groupby islice pairwise
    permutations product repeat starmap takewhile tee zip_longest`,
  ),
  functools: words("reduce partial cmp_to_key"),
  operator: words("itemgetter add sub mul truediv floordiv mod neg xor or_ and_ not_ eq ne lt le gt ge contains"),
  string: words("ascii_letters ascii_lowercase ascii_uppercase digits hexdigits octdigits punctuation printable whitespace capwords"),
  textwrap: words("dedent indent fill wrap shorten"),
  random: words("random randint randrange choice choices shuffle sample uniform gauss seed getrandbits"),
  time: words("time time_ns sleep strftime localtime gmtime ctime asctime perf_counter monotonic process_time mktime timezone tzname"),
  statistics: words(
    "mean fmean median median_low median_high mode multimode stdev pstdev variance pvariance quantiles geometric_mean harmonic_mean",
  ),
  base64: words(
    `b64encode b64decode urlsafe_b64encode urlsafe_b64decode standard_b64encode standard_b64decode b32encode b32decode b16encode b16decode
    b85encode b85decode encodebytes decodebytes`,
  ),
  hashlib: words("md5 sha1 sha224 sha256 sha384 sha512 sha3_256 sha3_512 blake2b blake2s"),
  uuid: words("uuid4 uuid5 uuid3 UUID NAMESPACE_DNS NAMESPACE_URL"),
  decimal: words("Decimal ROUND_HALF_UP ROUND_HALF_EVEN ROUND_DOWN ROUND_UP ROUND_FLOOR ROUND_CEILING"),
  fractions: words("Fraction"),
  unicodedata: words("name normalize category lookup bidirectional combining decimal digit numeric east_asian_width"),
  struct: words("pack unpack calcsize unpack_from iter_unpack"),
  html: words("escape unescape"),
  "urllib.parse": words(
    "quote unquote quote_plus unquote_plus urlencode urlparse urlsplit urlunparse urlunsplit urljoin parse_qs parse_qsl",
  ),
  binascii: words("hexlify unhexlify b2a_hex a2b_hex crc32 b2a_base64 a2b_base64"),
  secrets: words("token_hex token_urlsafe token_bytes randbelow choice"),
  heapq: words("heappush heappop heapify nlargest nsmallest heappushpop heapreplace merge"),
  bisect: words("bisect bisect_left bisect_right insort insort_left insort_right"),
  pprint: words("pprint pformat pp"),
  csv: words("reader writer DictReader DictWriter QUOTE_ALL QUOTE_MINIMAL QUOTE_NONE QUOTE_NONNUMERIC"),
  io: words("StringIO BytesIO"),
  calendar: words("month calendar monthrange isleap leapdays weekday day_name month_name monthcalendar"),
  zlib: words("crc32 adler32 compress decompress"),
  difflib: words("unified_diff context_diff ndiff get_close_matches"),
  ipaddress: words("ip_address ip_network ip_interface IPv4Address IPv6Address IPv4Network IPv6Network"),
  shlex: words("split quote join"),
  ast: words("literal_eval"),
  tomllib: words("load loads"),
};

/** Always part of the interpreter: no file of the working directory can take their place. */
export const COMPILED_IN = words("sys time itertools");

/** Top-level modules that the ones above load, at import or later (CPython 3.6 to 3.13, measured); a file of this name takes their place. */
export const LOADED = words(`
  __future__ _bisect _blake2 _bootlocale _bz2 _collections_abc _colorize _compression _csv _ctypes _datetime _decimal _hashlib _heapq
  _json _lzma _md5 _opcode _opcode_metadata _posixsubprocess _pydatetime _pydecimal _random _sha1 _sha2 _sha256 _sha3 _sha512 _statistics
  _strptime _struct _typing _uuid _weakrefset _zoneinfo abc annotationlib ast base64 binascii bisect bz2 calendar codecs collections
  contextlib copy copyreg csv ctypes dataclasses datetime decimal difflib dis encodings enum fcntl fnmatch fractions functools genericpath
  grp hashlib heapq hmac html importlib inspect io ipaddress json keyword linecache locale lzma math ntpath numbers opcode operator os
  pathlib platform posixpath pprint random re reprlib secrets select selectors shlex shutil signal sre_compile sre_constants sre_parse stat
  statistics string stringprep struct subprocess sysconfig tempfile textwrap threading token tokenize tomllib traceback types typing
  unicodedata urllib uuid warnings weakref zipfile zlib zoneinfo`);
