const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

export const KEYWORDS = words(
  "if unless while until else elsif end then do begin rescue ensure and or not in return break next case when BEGIN END",
);
/** Words that are values by themselves. */
export const CONSTANTS = words(
  "nil true false Integer Float String Array Hash Numeric NilClass RUBY_VERSION RUBY_PLATFORM RUBY_ENGINE RUBY_PATCHLEVEL StandardError ArgumentError KeyError TypeError ZeroDivisionError",
);
export const FUNCTIONS = words("puts print p pp format sprintf rand sleep exit raise loop lambda proc");
/** Libraries of Ruby that define nothing that acts by itself. */
export const LIBRARIES = words("json set time date bigdecimal digest securerandom");
/** What of the constants may be called. */
export const MEMBERS = words(
  `JSON.parse JSON.generate JSON.pretty_generate Time.now Time.at Time.parse Date.today Date.parse Date.new Math.sqrt Math.log Math.log2 Math.log10
  Math.sin Math.cos Math.tan Math.atan Math.exp Math.hypot Math.cbrt STDIN.read STDIN.gets STDIN.each_line STDIN.readlines STDOUT.puts STDOUT.print
  STDOUT.write STDERR.puts STDERR.print Set.new Hash.new Array.new Integer.sqrt Dir.pwd Process.pid File.basename File.extname File.dirname File.join
  SecureRandom.hex SecureRandom.uuid Random.rand`,
);
/** Methods that are harmless on every value that code of this subset can get hold of. */
export const METHODS = words(
  `map flat_map filter_map select filter reject find detect find_index sort sort_by group_by partition each each_with_index each_with_object
  each_slice each_cons each_pair each_key each_value each_char each_line each_byte with_index with_object zip flatten uniq compact first last
  min max min_by max_by minmax sum count size length empty? nil? any? all? none? one? include? member? reverse rotate shuffle sample join split
  strip lstrip rstrip chomp chop chars bytes lines codepoints upcase downcase capitalize swapcase sub gsub tr delete squeeze match match? scan
  start_with? end_with? index rindex slice insert prepend concat replace center ljust rjust ord chr hex oct to_s to_i to_f to_r to_c to_a to_h
  to_set inspect keys values key? has_key? value? fetch dig merge update transform_values transform_keys invert store values_at
  sort! map! uniq! compact! reverse! take drop take_while drop_while tally cycle lazy force floor ceil round truncate abs divmod modulo pow
  even? odd? zero? positive? negative? succ pred next upto downto step times gcd lcm digits bit_length push pop shift unshift append
  delete_if delete_at keep_if clear dup freeze frozen? is_a? kind_of? respond_to? equal? eql? hash between? clamp product combination
  permutation transpose assoc year month day hour minute second sec wday yday strftime iso8601 utc localtime to_date to_time
  puts print write read gets readlines reduce inject message full_message captures named_captures pre_match post_match begin_with? then tap
  encoding force_encoding encode unicode_normalize valid_encoding? ascii_only? unpack1 hexdigest call`,
);
/** Methods that every object has without being asked: a variable of that name would still be a call somewhere else. */
export const TAKEN = words(
  `system exec eval instance_eval instance_exec class_eval class_exec module_eval module_exec open fork spawn load require require_relative send
  public_send __send__ binding gets readline readlines syscall trap test select autoload method methods public_method singleton_method define_method
  irb abort at_exit callcc set_trace_func trace_var caller catch throw warn putc printf srand exit! object_id instance_variable_get instance_variable_set
  extend singleton_class define_singleton_method display gem pry debugger using include prepend`,
);
